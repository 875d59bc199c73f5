package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.SHORT;
import static io.github.kobe.scope.ScopeKit.assertReachesState;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.Flaky;
import io.github.kobe.GroupExecutor;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskCounts;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Peak;
import io.github.kobe.scope.ScopeKit.RecordingHook;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How does a scope's task run under a group's limits? */
@Timeout(60)
class ScopeGroupsTest {

    private final GroupExecutor groups = executor(b -> b.defaultMaxConcurrencyPerGroup(1));
    private final AtomicInteger runs = new AtomicInteger();

    @AfterEach
    void close() {
        groups.close();
    }

    private ThreadScope open() {
        return ThreadScope.open().withGroups(groups);
    }

    private int queued() {
        return groups.groupStats("g").orElseThrow().queuedCount();
    }

    @Test
    void runsInItsGroupAndReturnsItsValue() {
        try (ThreadScope scope = open()) {
            Task<String> task = scope.submit("g", "load", () -> "ran");
            assertThat(task.await()).isEqualTo("ran");
            assertThat(task.name()).isEqualTo("load");
            assertThat(scope.metrics().succeeded()).isEqualTo(1);
        }
        eventually(
                () -> assertThat(groups.groupStats("g").orElseThrow().counts().succeeded())
                        .isEqualTo(1));
    }

    @Test
    void submitToTakesTheGroupFirst() {
        try (ThreadScope scope = open()) {
            Task<String> unnamed = scope.submitTo("g", () -> "ran");
            assertThat(unnamed.await()).isEqualTo("ran");
            assertThat(unnamed.name()).isEqualTo("task-1");
            Task<String> named = scope.submitTo("g", "load", () -> "ran");
            assertThat(named.await()).isEqualTo("ran");
            assertThat(named.name()).isEqualTo("load");
            Task<?> nothing = scope.submitTo("g", this::run);
            assertThat(nothing.await()).isNull();
            assertThat(nothing.name()).isEqualTo("task-3");
            Task<?> namedNothing = scope.submitTo("g", "clean", this::run);
            assertThat(namedNothing.await()).isNull();
            assertThat(namedNothing.name()).isEqualTo("clean");
            assertThat(scope.submitTo("g", null, () -> "ran", TaskPriority.HIGH, RetryPolicy.attempts(2), LONG)
                            .await())
                    .isEqualTo("ran");
        }
        assertThat(runs).hasValue(2);
        eventually(
                () -> assertThat(groups.groupStats("g").orElseThrow().counts().succeeded())
                        .isEqualTo(5));
    }

    private void run() {
        runs.incrementAndGet();
    }

    @Test
    void submitToNeedsGroups() {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> scope.submitTo("g", () -> "ran"))
                    .withMessageContaining("has no groups");
        }
    }

    @Test
    void limitsAreSharedByScopesAndDirectSubmissions() throws Exception {
        Peak peak = new Peak();
        try (ThreadScope one = open();
                ThreadScope other = open()) {
            List<Task<Integer>> ones = new ArrayList<>();
            List<Task<Integer>> others = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                ones.add(one.submit("g", "t", () -> peak.during(runs::incrementAndGet)));
                others.add(other.submit("g", "t", () -> peak.during(runs::incrementAndGet)));
                groups.submit("g", "t", () -> peak.during(runs::incrementAndGet));
            }
            one.await(ones);
            other.await(others);
            eventually(() -> assertThat(runs).hasValue(150));
        }
        assertThat(peak.most()).isEqualTo(1);
    }

    @Test
    void groupsDoNotBlockEachOther() {
        try (ThreadScope scope = open()) {
            scope.submit("g", "blocker", BlockingTask.interruptible());
            assertThat(scope.submit("h", "t", () -> "ran").await()).isEqualTo("ran");
            assertThat(scope.submit("t", () -> "ran").await()).isEqualTo("ran");
        }
    }

    @Test
    void isPendingWhileQueuedInTheGroup() {
        BlockingTask blocker = BlockingTask.in(groups, "g");
        try (ThreadScope scope = open()) {
            Task<Integer> task = scope.submit("g", "waits", runs::incrementAndGet);
            assertThat(task.state()).isEqualTo(Task.State.PENDING);
            assertThat(queued()).isEqualTo(1);
            assertThat(scope.toString()).contains("waits PENDING");
            blocker.release();
            assertThat(task.await()).isEqualTo(1);
        }
    }

    @Test
    void cancelDequeuesItFromTheGroup() {
        BlockingTask blocker = BlockingTask.in(groups, "g");
        try (ThreadScope scope = open()) {
            Task<Integer> task = scope.submit("g", "waits", runs::incrementAndGet);
            assertThat(task.cancel()).isTrue();
            assertThat(queued()).isZero();
            assertThat(task.isCancelled()).isTrue();
        }
        blocker.release();
        assertThat(runs).hasValue(0);
    }

    @Test
    void cancellingTheScopeDequeuesOnlyItsOwnTasksFromTheGroup() {
        BlockingTask blocker = BlockingTask.in(groups, "g");
        try (ThreadScope scope = open()) {
            List<Task<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                tasks.add(scope.submit("g", "waits", runs::incrementAndGet));
            }
            groups.submit("g", "other", runs::incrementAndGet);
            assertThat(queued()).isEqualTo(21);
            scope.token().cancel();
            assertThat(queued()).isEqualTo(1);
            assertThat(tasks).allMatch(Task::isCancelled);
        }
        blocker.release();
        eventually(() -> assertThat(runs).hasValue(1));
    }

    @Test
    void closeDoesNotWaitForTasksQueuedInTheGroup() {
        BlockingTask blocker = BlockingTask.in(groups, "g");
        ThreadScope scope = open();
        Task<Integer> task = scope.submit("g", "waits", runs::incrementAndGet);
        scope.close();
        assertThat(task.isCancelled()).isTrue();
        assertThat(queued()).isZero();
        blocker.release();
    }

    @Test
    void cancelInterruptsItWhileItRunsInTheGroup() {
        BlockingTask blocker = BlockingTask.interruptible();
        try (ThreadScope scope = open()) {
            Task<String> task = scope.submit("g", "runs", blocker);
            TestKit.await(blocker.started);
            task.cancel();
            TestKit.await(blocker.interrupted);
            assertThat(scope.submit("g", "next", () -> Thread.currentThread().isInterrupted())
                            .await())
                    .isFalse();
        }
    }

    @Test
    void timeoutCountsWhileItIsQueuedInTheGroup() {
        BlockingTask blocker = BlockingTask.in(groups, "g");
        try (ThreadScope scope = open()) {
            Task<Integer> task = scope.submit("g", "waits", runs::incrementAndGet, null, null, SHORT);
            assertThatThrownBy(task::await).isInstanceOf(TaskTimeoutException.class);
            eventually(() -> assertThat(queued()).isZero());
        }
        blocker.release();
        assertThat(runs).hasValue(0);
    }

    @Test
    void priorityAppliesToTheQueueOfTheGroup() {
        List<String> order = new CopyOnWriteArrayList<>();
        BlockingTask blocker = BlockingTask.in(groups, "g");
        try (ThreadScope scope = open()) {
            List<Task<Boolean>> tasks = new ArrayList<>();
            for (TaskPriority priority : TaskPriority.values()) {
                tasks.add(scope.submit("g", "t", () -> order.add(priority.name()), priority, null, null));
            }
            blocker.release();
            scope.await(tasks);
        }
        assertThat(order).containsExactly("HIGH", "NORMAL", "LOW");
    }

    @Test
    void taskAwaitingRetryHoldsNoPermitOfTheGroup() {
        Flaky flaky = Flaky.failing(1);
        try (ThreadScope scope = open()) {
            Task<String> task = scope.submit("g", "flaky", flaky, null, RetryPolicy.fixedDelay(2, LONG), null);
            eventually(() -> assertThat(flaky.attempts()).isEqualTo(1));
            assertThat(scope.submit("g", "t", () -> "ran").await()).isEqualTo("ran");
            assertThat(task.state()).isEqualTo(Task.State.RUNNING);
            task.cancel();
            assertThat(scope.submit("g", "flaky", Flaky.failing(2), null, RetryPolicy.attempts(3), null)
                            .await())
                    .isEqualTo("succeeded");
        }
    }

    @Test
    void contextIsPropagatedAndHooksAreNotified() {
        RecordingHook heard = new RecordingHook();
        Context.put("request", "r1");
        try (ThreadScope scope = open().withHook(heard)) {
            assertThat(scope.submit("g", "t", Context::snapshot).await()).isEqualTo(Map.of("request", "r1"));
        } finally {
            Context.clear();
        }
        assertThat(heard.all()).containsExactly("start t", "success t");
    }

    @Test
    void failureOfTheWorkIsTheFailureOfTheTask() {
        IllegalStateException fault = new IllegalStateException("x");
        try (ThreadScope scope = open()) {
            assertThatThrownBy(scope.submit("g", "t", ScopeKit.failing(fault))::await)
                    .isSameAs(fault);
        }
    }

    /** Each attempt is a task of the group. */
    @Test
    void groupCountsTheOutcomeOfEachAttempt() {
        try (ThreadScope scope = open().withFailurePolicy(FailurePolicy.SUPERVISOR)) {
            Task<String> failing = scope.submit("g", "f", ScopeKit.failing(new IllegalStateException("x")));
            Task<String> flaky = scope.submit("g", "r", Flaky.failing(2), null, RetryPolicy.attempts(3), null);
            scope.await(failing, flaky);
            BlockingTask blocker = BlockingTask.interruptible();
            Task<?> cancelled = scope.submit("g", "c", blocker);
            TestKit.await(blocker.started);
            cancelled.cancel();
        }
        eventually(() -> {
            TaskCounts counts = groups.groupStats("g").orElseThrow().counts();
            assertThat(counts.succeeded()).isEqualTo(1);
            assertThat(counts.failed()).isEqualTo(3);
            assertThat(counts.cancelled()).isEqualTo(1);
        });
    }

    @Test
    void timeoutNamesTheGroup() {
        try (ThreadScope scope = open()) {
            Task<?> task = scope.submit("g", "t", BlockingTask.interruptible(), null, null, SHORT);
            assertThatThrownBy(task::await)
                    .isInstanceOfSatisfying(
                            TaskTimeoutException.class,
                            timeout -> assertThat(timeout.groupKey()).isEqualTo("g"));
        }
    }

    // ---- rejected ----------------------------------------------------------------------------------------------

    @Test
    void rejectedTaskFails() {
        for (RejectionPolicy policy : List.of(RejectionPolicy.ABORT, RejectionPolicy.DISCARD)) {
            RecordingHook heard = new RecordingHook();
            try (GroupExecutor tight = executor(b -> b.defaultMaxConcurrencyPerGroup(1)
                            .defaultQueueThresholdPerGroup(0)
                            .rejectionPolicy(policy));
                    ThreadScope scope = ThreadScope.open()
                            .withGroups(tight)
                            .withConcurrencyLimit(2)
                            .withHook(heard)) {
                BlockingTask.in(tight, "g");
                for (int i = 0; i < 3; i++) {
                    Task<Integer> task = scope.submit("g", "late", runs::incrementAndGet);
                    assertThatThrownBy(task::await)
                            .isInstanceOfSatisfying(
                                    RejectedTaskException.class,
                                    e -> assertThat(e.reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL));
                    assertThat(task.state()).isEqualTo(Task.State.FAILED);
                }
                assertThat(heard.of("late")).containsExactly("failure", "failure", "failure");
                assertThat(scope.metrics().started()).isZero();
            }
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void callerMayRunIt() {
        try (GroupExecutor tight = executor(b -> b.defaultMaxConcurrencyPerGroup(1)
                        .defaultQueueThresholdPerGroup(0)
                        .rejectionPolicy(RejectionPolicy.CALLER_RUNS));
                ThreadScope scope = ThreadScope.open().withGroups(tight)) {
            BlockingTask.in(tight, "g");
            assertThat(scope.submit("g", "t", Thread::currentThread).await()).isSameAs(Thread.currentThread());
        }
    }

    /** The completion of the first task starts the second on the same thread, and the second starts the third. */
    @Test
    void tasksStartedByAnotherTasksCompletionUnderCallerRunsSeeNoStateOfIt() {
        ThreadLocal<String> left = new ThreadLocal<>();
        BlockingTask first = BlockingTask.interruptible();
        try (GroupExecutor tight = executor(b -> b.defaultMaxConcurrencyPerGroup(1)
                        .defaultQueueThresholdPerGroup(0)
                        .rejectionPolicy(RejectionPolicy.CALLER_RUNS));
                ThreadScope scope = ThreadScope.open()
                        .withGroups(tight)
                        .withConcurrencyLimit(1)
                        .withQueueing(true)) {
            BlockingTask.in(tight, "full");
            Task<?> starter = scope.submit("free", "first", () -> {
                first.call();
                left.set("first");
                return "";
            });
            Task<String> second = scope.submit("full", "second", () -> {
                String found = "found " + left.get();
                left.set("second");
                return found;
            });
            Task<String> third = scope.submit("full", "third", () -> "found " + left.get());
            first.release();
            scope.await(starter, second, third);
            assertThat(second.await()).isEqualTo("found null");
            assertThat(third.await()).isEqualTo("found null");
        }
    }

    @Test
    void taskDisplacedFromTheQueueOfTheGroupFails() {
        try (GroupExecutor tight = executor(b -> b.defaultMaxConcurrencyPerGroup(1)
                        .defaultQueueThresholdPerGroup(1)
                        .rejectionPolicy(RejectionPolicy.DISCARD_OLDEST));
                ThreadScope scope = ThreadScope.open().withGroups(tight)) {
            BlockingTask.in(tight, "g");
            Task<Integer> task = scope.submit("g", "old", runs::incrementAndGet);
            tight.submit("g", "new", () -> "ran");
            assertThatThrownBy(task::await).isInstanceOf(RejectedTaskException.class);
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void shutdownOfTheGroupCancelsIt() {
        BlockingTask.in(groups, "g");
        try (ThreadScope scope = open()) {
            Task<Integer> task = scope.submit("g", "waits", runs::incrementAndGet);
            groups.shutdownGroup("g");
            assertReachesState(task, Task.State.CANCELLED);
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void taskFailsIfTheGroupExecutorIsShutDown() {
        try (ThreadScope scope = open()) {
            groups.shutdown();
            Task<Integer> task = scope.submit("g", "late", runs::incrementAndGet);
            assertReachesState(task, Task.State.FAILED);
            assertThatThrownBy(task::await).isInstanceOf(IllegalStateException.class);
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    void submitToAGroupOfAScopeWithoutGroupsThrows() {
        try (ThreadScope scope = ThreadScope.open()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> scope.submit("g", "t", () -> "ran"))
                    .withMessageContainingAll(scope.id(), "withGroups");
        }
    }

    @Test
    void closeDoesNotShutDownTheGroupExecutor() {
        open().close();
        assertThat(TestKit.resultOf(groups.submit("g", "t", () -> "ran")).value())
                .isEqualTo("ran");
    }

    @Test
    void cancelThatRacesWithTheStartCompletesItOnceAndLeaksNoPermit() {
        try (ThreadScope scope = open()) {
            for (int i = 0; i < 300; i++) {
                Task<Integer> task = scope.submit("g", "t", runs::incrementAndGet);
                for (int j = 0; j < i % 15; j++) {
                    TestKit.yieldToOthers();
                }
                boolean won = task.cancel();
                assertThat(task.state()).isEqualTo(won ? Task.State.CANCELLED : Task.State.SUCCESS);
            }
            assertThat(scope.submit("g", "t", () -> "ran").await()).isEqualTo("ran");
            assertThat(scope.metrics().completed()).isEqualTo(301);
        }
    }
}
