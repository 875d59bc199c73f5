package io.github.kobe.scope;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.Baggage;
import io.github.kobe.Flaky;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TestKit.BlockingTask;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which context has a task of a scope that runs in a group, and the callbacks of both? */
@Timeout(60)
class ScopeGroupContextTest {

    private final Baggage ofScope = Baggage.installed();
    private final Baggage ofGroups = Baggage.wrapped();
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();

    private final TaskLifecycleListener listener = new TaskLifecycleListener() {
        @Override
        public void onSubmitted(TaskIdentity task) {
            note("submitted");
        }

        @Override
        public void onStarted(TaskIdentity task) {
            note("started");
        }

        @Override
        public void onCompleted(TaskIdentity task, GroupResult<?> result) {
            note("completed");
        }
    };

    private final ThreadHook hook = new ThreadHook() {
        @Override
        public void onStart(TaskInfo info) {
            note("hook start");
        }

        @Override
        public void onSuccess(TaskInfo info, Duration duration) {
            note("hook success");
        }
    };

    @AfterEach
    void clear() {
        Context.clear();
    }

    private void note(String where) {
        seen.add(where + ": " + contexts());
    }

    private String contexts() {
        return ofScope.get() + " " + ofGroups.get() + " " + Context.get("user");
    }

    private void setAll(@Nullable String value) {
        ofScope.set(value);
        ofGroups.set(value);
        Context.put("user", value);
    }

    private GroupExecutor groups(UnaryOperator<GroupPolicy.Builder> settings) {
        return executor(b -> settings.apply(b.contextCarrier(ofGroups.carrier).taskLifecycleListener(listener)));
    }

    private ThreadScope open(GroupExecutor groups) {
        return ThreadScope.open()
                .withGroups(groups)
                .withContextCarrier(ofScope.carrier)
                .withHook(hook);
    }

    @Test
    void taskAndCallbacksOfBothHaveTheContextsOfBoth() {
        Flaky flaky = Flaky.failing(1);
        try (GroupExecutor groups = groups(b -> b);
                ThreadScope scope = open(groups)) {
            setAll("r1");
            Callable<String> work = () -> {
                note("attempt");
                return flaky.call();
            };
            Task<String> task = scope.submitTo("g", "t", work, null, RetryPolicy.attempts(2), null);
            setAll("r2");
            assertThat(task.await()).isEqualTo("succeeded");
            assertThat(contexts()).isEqualTo("r2 r2 r2");
            setAll(null);
        }
        assertThat(seen)
                .allMatch(line -> line.endsWith(": r1 r1 r1"))
                .containsExactlyInAnyOrder(
                        "submitted: r1 r1 r1",
                        "started: r1 r1 r1",
                        "hook start: r1 r1 r1",
                        "attempt: r1 r1 r1",
                        "completed: r1 r1 r1",
                        "submitted: r1 r1 r1",
                        "started: r1 r1 r1",
                        "attempt: r1 r1 r1",
                        "completed: r1 r1 r1",
                        "hook success: r1 r1 r1");
        assertThat(ofScope.captures).hasValue(1);
        assertThat(ofGroups.captures).hasValue(1);
    }

    @Test
    void carrierOfBothIsCapturedOnceAndInstalledOnceForAnAttempt() {
        Baggage shared = Baggage.installed();
        try (GroupExecutor groups = executor(b -> b.contextCarrier(ofGroups.carrier.andThen(shared.carrier)));
                ThreadScope scope = ThreadScope.open().withGroups(groups).withContextCarrier(shared.carrier)) {
            shared.set("r1");
            ofGroups.set("r1");
            Task<String> task = scope.submitTo("g", () -> shared.get() + ofGroups.get());
            shared.set("r2");
            assertThat(task.await()).isEqualTo("r1r1");
        }
        assertThat(shared.captures).hasValue(1);
        assertThat(ofGroups.captures).hasValue(1);
        assertThat(shared.installs)
                .as("for the submission to the group, and for the attempt")
                .hasValue(2);
        assertThat(shared.restores).hasValue(2);
    }

    @Test
    void taskThatIsQueuedInTheScopeKeepsTheContextOfItsSubmitter() {
        try (GroupExecutor groups = groups(b -> b);
                ThreadScope scope = open(groups).withConcurrencyLimit(1).withQueueing(true)) {
            BlockingTask blocker = BlockingTask.interruptible();
            scope.submitTo("other", "blocker", blocker);
            await(blocker.started);
            setAll("r1");
            Task<String> queued = scope.submitTo("g", this::contexts);
            setAll("r2");
            blocker.release();
            assertThat(queued.await()).isEqualTo("r1 r1 r1");
            setAll(null);
        }
    }

    @Test
    void rejectionHandlerOfTheGroupHasTheContext() {
        RejectionHandler handler = new RejectionHandler() {
            @Override
            public <T extends @Nullable Object> GroupResult<T> onRejected(
                    String groupKey, String taskId, Callable<T> task) {
                note("handler");
                return GroupResult.rejected(groupKey, taskId);
            }
        };
        try (GroupExecutor groups =
                        groups(b -> b.defaultQueueThresholdPerGroup(0).rejectionHandler(handler));
                ThreadScope scope = open(groups)) {
            BlockingTask.in(groups, "g");
            setAll("r1");
            Task<String> rejected = scope.submitTo("g", this::contexts);
            setAll("r2");
            eventually(() -> assertThat(rejected.state()).isEqualTo(Task.State.FAILED));
            assertThat(seen).contains("handler: r1 r1 r1");
            setAll(null);
        }
    }

    @Test
    void taskThatTheGroupRunsOnItsSubmitterHasTheContext() {
        try (GroupExecutor groups =
                        groups(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.CALLER_RUNS));
                ThreadScope scope = open(groups).withConcurrencyLimit(1).withQueueing(true)) {
            BlockingTask.in(groups, "g");
            seen.clear();
            BlockingTask first = BlockingTask.interruptible();
            scope.submitTo("other", "first", first);
            await(first.started);
            setAll("r1");
            Task<String> task = scope.submitTo("g", this::contexts);
            setAll("r2");
            first.release();
            assertThat(task.await()).isEqualTo("r1 r1 r1");
            setAll(null);
            eventually(() -> assertThat(seen).contains("hook success: r1 r1 r1"));
        }
    }

    @Test
    void groupsWithoutACarrierAreToldNothing() {
        try (GroupExecutor groups = executor(b -> b.taskLifecycleListener(listener));
                ThreadScope scope = ThreadScope.open().withGroups(groups).withContextCarrier(ofScope.carrier)) {
            ofScope.set("r1");
            Task<String> task = scope.submitTo("g", this::contexts);
            assertThat(task.await()).isEqualTo("r1 null null");
            eventually(() -> assertThat(seen).contains("started: null null null", "completed: null null null"));
            ofScope.set(null);
        }
    }

    @Test
    void nestedScopesHandTheContextDown() {
        try (GroupExecutor groups = groups(b -> b.defaultMaxConcurrencyPerGroup(2));
                ThreadScope scope = open(groups)) {
            setAll("r1");
            Task<String> outer = scope.submitTo("g", () -> {
                try (ThreadScope inner = open(groups)) {
                    Task<String> task = inner.submitTo("g", this::contexts);
                    return task.await() + ", " + contexts();
                }
            });
            setAll("r2");
            assertThat(outer.await()).isEqualTo("r1 r1 r1, r1 r1 r1");
            setAll(null);
        }
    }

    @Test
    void whatATaskWithoutContextSetsIsGoneForTheNextOneOnItsThread() {
        try (ThreadScope scope =
                ThreadScope.open().withScheduler(Scheduler.fixed(1)).withContextCarrier(ofScope.carrier)) {
            scope.submit(() -> {
                        ofScope.set("left behind");
                        return "ran";
                    })
                    .await();
            assertThat(scope.submit(() -> String.valueOf(ofScope.get())).await())
                    .isEqualTo("null");
        }
    }
}
