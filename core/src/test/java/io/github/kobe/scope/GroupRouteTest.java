package io.github.kobe.scope;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.scope.ScopeKit.failing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.Flaky;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.time.FakeTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is the outcome of a scope's task if its group rejects it, if a caller runs it, or if a hook or listener is slow? */
@Timeout(60)
class GroupRouteTest {

    @AfterEach
    void clearFlag() {
        Thread.interrupted();
    }

    /** Its group is full, so the submitter runs the task. */
    private static GroupExecutor callersRun() {
        GroupExecutor groups = executor(b -> b.defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS));
        BlockingTask.in(groups, "g");
        return groups;
    }

    private static GroupExecutor withHandler(RejectionHandler handler) {
        GroupExecutor groups = executor(b -> b.defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .rejectionHandler(handler));
        BlockingTask.in(groups, "g");
        return groups;
    }

    @Test
    void hookThatBlocksTheThreadOfTheGroupTaskDoesNotBlockTheScopeTask() {
        CountDownLatch release = new CountDownLatch(1);
        ThreadHook stuck = new ThreadHook() {
            @Override
            public void onStart(TaskInfo info) {
                TestKit.await(release);
            }
        };
        try (GroupExecutor groups = executor(b -> b);
                ThreadScope scope = ThreadScope.open().withGroups(groups).withHook(stuck)) {
            assertThat(scope.submit("g", "t", () -> "ran").await()).isEqualTo("ran");
            release.countDown();
        }
    }

    @Test
    void slowListenersOfTheGroupDoNotTurnASuccessIntoATimeout() {
        FakeTimer timer = new FakeTimer();
        TaskLifecycleListener slow = new TaskLifecycleListener() {
            @Override
            public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
                timer.advance(TimeUnit.SECONDS.toNanos(1));
            }
        };
        try (GroupExecutor groups = executor(b -> b.taskLifecycleListener(slow));
                ThreadScope scope =
                        ThreadScope.open().withScheduler(ScopeKit.on(timer)).withGroups(groups)) {
            Task<String> task = scope.submit("g", "t", () -> "ran", null, null, Duration.ofMillis(500));
            assertThat(task.await()).isEqualTo("ran");
        }
    }

    @Test
    void interruptFlagOfACallerThatRunsTheTaskDoesNotPreventRetries() {
        try (GroupExecutor groups = callersRun();
                ThreadScope scope = ThreadScope.open().withGroups(groups)) {
            Thread.currentThread().interrupt();
            Task<String> task = scope.submit("g", "t", Flaky.failing(2), null, RetryPolicy.attempts(3), null);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(task.await()).isEqualTo("succeeded");
        }
    }

    @Test
    void hookDoesNotSeeTheInterruptFlagOfACallerThatRunsTheTask() {
        AtomicBoolean met = new AtomicBoolean();
        ThreadHook hook = new ThreadHook() {
            @Override
            public void onSuccess(TaskInfo info, Duration duration) {
                met.set(Thread.interrupted());
            }
        };
        try (GroupExecutor groups = callersRun();
                ThreadScope scope = ThreadScope.open().withGroups(groups).withHook(hook)) {
            Thread.currentThread().interrupt();
            scope.submit("g", "t", () -> "ran");
            assertThat(Thread.interrupted()).isTrue();
            assertThat(met).isFalse();
        }
    }

    @Test
    void interruptFlagSetBeforeTheWaitIsKept() {
        AtomicReference<ThreadScope> scopeRef = new AtomicReference<>();
        TaskLifecycleListener cancelling = new TaskLifecycleListener() {
            @Override
            public void onSubmitted(String groupKey, String taskId) {
                scopeRef.get().token().cancel();
            }
        };
        try (GroupExecutor groups = executor(b -> b.taskLifecycleListener(cancelling));
                ThreadScope scope = ThreadScope.open().withGroups(groups)) {
            scopeRef.set(scope);
            Thread.currentThread().interrupt();
            Throwable unused = catchThrowable(() -> scope.submit("g", "t", () -> "ran"));
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void resultReturnedByARejectionHandlerIsTheResultOfTheTask() {
        RejectionHandler fallback = new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                return GroupResult.success(groupKey, taskId, null, 0, 0);
            }
        };
        try (GroupExecutor groups = withHandler(fallback);
                ThreadScope scope = ThreadScope.open().withGroups(groups)) {
            Task<String> task = scope.submit("g", "t", () -> "ran");
            assertThat(task.await()).isNull();
            assertThat(task.state()).isEqualTo(Task.State.SUCCESS);
            assertThat(scope.metrics().succeeded()).isEqualTo(1);
        }
    }

    @Test
    void failureReturnedByARejectionHandlerIsTheFailureOfTheTask() {
        IOException fault = new IOException("on purpose");
        RejectionHandler failing = new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                return GroupResult.failed(groupKey, taskId, fault, 0, 0);
            }
        };
        try (GroupExecutor groups = withHandler(failing);
                ThreadScope scope = ThreadScope.open().withGroups(groups)) {
            Task<String> task = scope.submit("g", "t", failing(new IllegalStateException("not run")));
            assertThat(catchThrowable(task::await)).hasCause(fault);
        }
    }
}
