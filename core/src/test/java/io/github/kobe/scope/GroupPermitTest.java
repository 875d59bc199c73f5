package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.scope.ScopeKit.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.Flaky;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.internal.time.FakeTimer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When does a scope's task hold a permit of its group, how long does its submitter wait for it, and when is it released? */
@Timeout(60)
class GroupPermitTest {

    private static final int OFTEN = 300;

    /** One permit for each group, and no queue. */
    private static GroupExecutor narrow() {
        return executor(b -> b.defaultMaxConcurrencyPerGroup(1).defaultQueueThresholdPerGroup(0));
    }

    /** As above, but a submitter waits for a permit. */
    private static GroupExecutor blocking() {
        return executor(b -> b.defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.BLOCK)
                .maxBlockTime(LONG));
    }

    private static int active(GroupExecutor groups) {
        return groups.groupStats("g").orElseThrow().activeCount();
    }

    private static int queued(GroupExecutor groups) {
        return groups.groupStats("g").orElseThrow().queuedCount();
    }

    // ---- afterwards ----------------------------------------------------------------------------------------------

    @Test
    void permitIsFreeWhenAwaitReturns() {
        try (GroupExecutor groups = narrow();
                ThreadScope scope = ThreadScope.open().withGroups(groups)) {
            for (int i = 0; i < OFTEN; i++) {
                int number = i;
                assertThat(scope.submit("g", "t", () -> number).await()).isEqualTo(i);
                assertThat(active(groups)).isZero();
                assertThat(groups.stats().counts().succeeded()).isEqualTo(i + 1);
            }
        }
    }

    @Test
    void permitsAreFreeWhenCloseReturns() {
        try (GroupExecutor groups = narrow()) {
            for (int i = 0; i < OFTEN; i++) {
                BlockingTask blocker = BlockingTask.interruptible();
                try (ThreadScope scope = ThreadScope.open().withGroups(groups)) {
                    scope.submit("g", "t", blocker);
                    TestKit.await(blocker.started);
                }
                assertThat(active(groups)).isZero();
            }
        }
    }

    @Test
    void permitOfAFailedAttemptIsFreeForTheNextAttempt() {
        try (GroupExecutor groups = narrow();
                ThreadScope scope = ThreadScope.open().withGroups(groups)) {
            for (int i = 0; i < OFTEN; i++) {
                Task<String> task = scope.submit("g", "t", Flaky.failing(3), null, RetryPolicy.attempts(4), null);
                assertThat(task.await()).isEqualTo("succeeded");
            }
        }
    }

    @Test
    void taskThatIgnoresInterruptionOutlivesTheShutdownOfItsGroup() {
        BlockingTask blocker = BlockingTask.uninterruptible();
        try (GroupExecutor groups = narrow();
                ThreadScope scope = ThreadScope.open().withGroups(groups)) {
            Task<String> task = scope.submit("g", "t", blocker);
            TestKit.await(blocker.started);
            groups.shutdownGroup("g");
            assertThat(task.isDone()).isFalse();
            blocker.release();
            assertThat(task.await()).isEqualTo("released");
        }
    }

    @Test
    void durationOfATaskExcludesListenersOfTheGroup() {
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
            scope.submit("g", "t", () -> "ran").await();
            assertThat(timer.nanoTime()).as("the listener was notified before").isPositive();
            assertThat(scope.metrics().maxDuration()).isZero();
        }
    }

    // ---- in the queue ---------------------------------------------------------------------------------------------

    @Test
    void taskCancelledWhileQueuedForARetryIsDequeued() {
        CountDownLatch blockingTaskIsQueued = new CountDownLatch(1);
        AtomicInteger attempts = new AtomicInteger();
        try (GroupExecutor groups = executor(b -> b.defaultMaxConcurrencyPerGroup(1));
                ThreadScope scope = ThreadScope.open().withGroups(groups)) {
            Callable<String> work = () -> {
                attempts.incrementAndGet();
                TestKit.await(blockingTaskIsQueued);
                throw new IllegalStateException("on purpose");
            };
            Task<String> task = scope.submit("g", "t", work, null, RetryPolicy.attempts(9), null);
            eventually(() -> assertThat(attempts).hasValue(1));
            BlockingTask blocker = BlockingTask.interruptible();
            groups.submit("g", "blocker", blocker);
            blockingTaskIsQueued.countDown();
            TestKit.await(blocker.started);
            eventually(() -> assertThat(queued(groups)).isEqualTo(1));
            task.cancel();
            eventually(() -> assertThat(queued(groups)).isZero());
            assertThat(blocker.hasEnded())
                    .as("the blocker has held the permit all the time")
                    .isFalse();
            assertThat(attempts).hasValue(1);
        }
    }

    // ---- waiting to be admitted ------------------------------------------------------------------------------------

    private static String stateAndFlag(Task<String> task) {
        return task.state() + (Thread.interrupted() ? ", interrupted" : "");
    }

    /** A caller submits to a full group and waits; then time passes. Returns the state of its task. */
    private static String afterWaiting(Duration deadline, @Nullable Duration timeout) throws Exception {
        FakeTimer timer = new FakeTimer();
        try (GroupExecutor groups = blocking();
                ThreadScope scope = ThreadScope.open()
                        .withScheduler(ScopeKit.on(timer))
                        .withGroups(groups)
                        .withDeadline(deadline)) {
            BlockingTask.in(groups, "g");
            Caller<String> submitter = Caller.of(() -> {
                Task<String> task = scope.submit("g", "t", () -> "ran", null, null, timeout);
                return stateAndFlag(task) + " "
                        + catchThrowable(task::await).getClass().getSimpleName();
            });
            submitter.awaitWaiting();
            timer.advance(LONG.toNanos() / 2);
            return submitter.result();
        }
    }

    @Test
    void deadlineStopsTheWait() throws Exception {
        assertThat(afterWaiting(LONG.dividedBy(2), null)).isEqualTo("CANCELLED CancelledException");
    }

    @Test
    void timeoutOfTheTaskStopsTheWait() throws Exception {
        assertThat(afterWaiting(LONG, LONG.dividedBy(2))).isEqualTo("FAILED TaskTimeoutException");
    }

    @Test
    void cancellingTheScopeStopsTheWait() throws Exception {
        try (GroupExecutor groups = blocking();
                ThreadScope scope = ThreadScope.open().withGroups(groups)) {
            BlockingTask.in(groups, "g");
            Caller<String> submitter = Caller.of(() -> stateAndFlag(scope.submit("g", "t", () -> "ran")));
            submitter.awaitWaiting();
            scope.token().cancel();
            assertThat(submitter.result()).isEqualTo("CANCELLED");
        }
    }

    @Test
    void interruptionOfTheSubmitterStopsTheWaitAndKeepsTheInterruptFlag() throws Exception {
        try (GroupExecutor groups = blocking();
                ThreadScope scope = ThreadScope.open().withGroups(groups)) {
            BlockingTask.in(groups, "g");
            Caller<String> submitter = Caller.of(() -> {
                Task<String> task = scope.submit("g", "t", () -> "ran");
                assertThatThrownBy(task::await).isInstanceOf(RejectedTaskException.class);
                return stateAndFlag(task);
            });
            submitter.interruptWhenWaiting();
            assertThat(submitter.result()).isEqualTo("FAILED, interrupted");
        }
    }

    @Test
    void submitterContinuesWhenAPermitIsReleased() throws Exception {
        try (GroupExecutor groups = blocking();
                ThreadScope scope = ThreadScope.open().withGroups(groups)) {
            BlockingTask blocker = BlockingTask.in(groups, "g");
            Caller<String> submitter =
                    Caller.of(() -> scope.submit("g", "t", () -> "ran").await());
            submitter.awaitWaiting();
            blocker.release();
            assertThat(submitter.result()).isEqualTo("ran");
            eventually(() -> assertThat(active(groups)).isZero());
        }
    }
}
