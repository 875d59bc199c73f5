package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A standalone group without a limit: no task is queued, it terminates with its last task after the close, and its statistics are
 * correct.
 */
class UncappedGroupTest {

    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(1);

    private final FakeTimer timer = new FakeTimer();
    private final Deque<Runnable> threads = new ArrayDeque<>();
    private boolean noThreads;
    private final Dispatcher dispatcher = new Dispatcher(
            key -> new GroupLimits(1, 1, 1), 1, 1, Long.MAX_VALUE, new WeightedRoundRobin(), this::startThread, timer);
    private final StandaloneGroup group = new StandaloneGroup("e", Integer.MAX_VALUE, dispatcher);

    private void startThread(Runnable work) {
        if (noThreads) {
            throw new InternalError("no threads");
        }
        threads.add(work);
    }

    /** A task whose first attempts fail. */
    private final class RetryingTask extends KernelTask<String> {
        private final AttemptState attemptState;
        private int failures;
        private int attempts;

        RetryingTask(int failures, boolean keepsPermit) {
            this.failures = failures;
            this.attemptState = new AttemptState(0, AttemptLimits.NONE, AttemptLimits.NONE, keepsPermit);
        }

        @Override
        protected @Nullable AttemptState attempts() {
            return attemptState;
        }

        @Override
        protected String execute() {
            attempts++;
            return "ran";
        }

        @Override
        protected long retryDelay(Object result) {
            return failures-- > 0 ? SOON : -1;
        }

        @Override
        protected String failed(Throwable fault) {
            return "failed";
        }

        @Override
        protected String cancelled(String why) {
            return "cancelled";
        }

        @Override
        protected int counterSlot(Object result) {
            return result.equals("ran") ? OutcomeCounters.COMMON_OUTCOME : 1;
        }

        boolean cancel() {
            return cancel(true, "test");
        }

        @Nullable
        String outcome() {
            return outcomeOrNull();
        }
    }

    private RetryingTask submit() {
        return submit(new RetryingTask(0, false));
    }

    private RetryingTask submit(RetryingTask task) {
        assertThat(group.submit(task)).isTrue();
        return task;
    }

    private void runNext() {
        Objects.requireNonNull(threads.poll(), "nothing was started").run();
    }

    @Test
    void groupWithALimitIsNoUncappedGroup() {
        assertThat(group.home()).isInstanceOf(UncappedGroup.class);
        assertThat(new StandaloneGroup("e", Integer.MAX_VALUE - 1, dispatcher).home())
                .isNotInstanceOf(UncappedGroup.class);
    }

    @Test
    void everyTaskStartsAtOnce() {
        for (int i = 0; i < 1000; i++) {
            submit();
        }
        assertThat(threads).hasSize(1000);
        assertThat(group.home().active()).isEqualTo(1000);
        assertThat(group.home().queued()).isZero();
    }

    @Test
    void tasksAreNumberedInSubmissionOrder() {
        long[] numbers = new long[3];
        for (int i = 0; i < numbers.length; i++) {
            int at = i;
            group.submit(new NumberedTask(number -> numbers[at] = number));
        }
        assertThat(numbers).containsExactly(1, 2, 3);
    }

    private static final class NumberedTask extends KernelTask<String> {
        private final LongConsumer tell;

        NumberedTask(LongConsumer tell) {
            this.tell = tell;
        }

        @Override
        protected void admitted(long number) {
            tell.accept(number);
        }

        @Override
        protected String execute() {
            return "ran";
        }

        @Override
        protected String failed(Throwable fault) {
            return "failed";
        }

        @Override
        protected String cancelled(String why) {
            return "cancelled";
        }
    }

    // ---- termination -----------------------------------------------------------------------------------------------

    @Test
    void emptyGroupTerminatesWhenItIsClosed() {
        assertThat(group.isTerminated()).isFalse();
        group.shut();
        assertThat(group.isTerminated()).isTrue();
    }

    @Test
    void terminatesWithItsLastTask() {
        submit();
        submit();
        group.shut();
        runNext();
        assertThat(group.isTerminated()).isFalse();
        runNext();
        assertThat(group.isTerminated()).isTrue();
    }

    @Test
    void doesNotTerminateBeforeItIsClosed() {
        submit();
        runNext();
        assertThat(group.isTerminated()).isFalse();
        submit();
        runNext();
        group.shut();
        assertThat(group.isTerminated()).isTrue();
    }

    @Test
    void closeIsIdempotent() {
        submit();
        group.shut();
        group.shut();
        assertThat(group.isTerminated()).isFalse();
        runNext();
        assertThat(group.isTerminated()).isTrue();
        group.shut();
        assertThat(group.isTerminated()).isTrue();
    }

    @Test
    void taskIsRejectedAndNotCountedAfterClose() {
        submit();
        group.shut();
        assertThat(group.submit(new RetryingTask(0, false))).isFalse();
        assertThat(threads).hasSize(1);
        assertThat(group.home().admittedCount()).isEqualTo(1);
        assertThat(group.home().isClosed()).isTrue();
    }

    @Test
    void taskWithoutAThreadFailsAndLeaves() {
        noThreads = true;
        RetryingTask task = submit();
        assertThat(task.outcome()).isEqualTo("failed");
        assertThat(group.taskCount()).isZero();
        group.shut();
        assertThat(group.isTerminated()).isTrue();
    }

    @Test
    void stoppedTaskLeavesWhenItsThreadStarts() {
        RetryingTask task = submit();
        group.stopAll("test");
        group.shut();
        assertThat(group.isTerminated()).isFalse();
        runNext();
        assertThat(task.outcome()).isEqualTo("cancelled");
        assertThat(task.attempts).isZero();
        assertThat(group.isTerminated()).isTrue();
    }

    // ---- retries ---------------------------------------------------------------------------------------------------

    @Test
    void terminationWaitsForRetries() {
        for (boolean keepsPermit : new boolean[] {false, true}) {
            StandaloneGroup fresh = new StandaloneGroup("e", Integer.MAX_VALUE, dispatcher);
            RetryingTask task = new RetryingTask(2, keepsPermit);
            fresh.submit(task);
            fresh.shut();
            for (int attempt = 1; attempt <= 2; attempt++) {
                runNext();
                assertThat(fresh.isTerminated())
                        .as("before attempt %s", attempt + 1)
                        .isFalse();
                assertThat(fresh.home().active()).isEqualTo(keepsPermit ? 1 : 0);
                assertThat(fresh.home().awaitingRetryCount()).isEqualTo(1);
                timer.advance(SOON);
                assertThat(fresh.taskCount()).isEqualTo(1);
                assertThat(fresh.home().awaitingRetryCount()).isZero();
            }
            runNext();
            assertThat(task.outcome()).isEqualTo("ran");
            assertThat(fresh.isTerminated()).isTrue();
        }
    }

    @Test
    void terminationDoesNotWaitForACancelledRetry() {
        for (boolean keepsPermit : new boolean[] {false, true}) {
            StandaloneGroup fresh = new StandaloneGroup("e", Integer.MAX_VALUE, dispatcher);
            RetryingTask task = new RetryingTask(1, keepsPermit);
            fresh.submit(task);
            runNext();
            fresh.shut();
            assertThat(fresh.isTerminated()).isFalse();
            assertThat(task.cancel()).isTrue();
            assertThat(fresh.isTerminated()).isTrue();
            assertThat(fresh.taskCount()).isZero();
            assertThat(timer.pending()).isZero();
        }
    }

    @Test
    void retryWithoutAThreadFailsAndLeaves() {
        RetryingTask task = submit(new RetryingTask(1, false));
        runNext();
        group.shut();
        noThreads = true;
        timer.advance(SOON);
        assertThat(task.outcome()).isEqualTo("failed");
        assertThat(group.isTerminated()).isTrue();
    }

    // ---- statistics ------------------------------------------------------------------------------------------------

    @Test
    void statisticsAreCorrectBeforeAndAfterClose() {
        submit();
        submit();
        submit(new RetryingTask(1, false));
        runNext();
        assertThat(group.taskCount()).isEqualTo(2);
        assertThat(group.home().commonOutcomeCount()).isEqualTo(1);
        group.shut();
        assertThat(group.taskCount()).isEqualTo(2);
        assertThat(group.home().active()).isEqualTo(2);
        runNext();
        runNext();
        assertThat(group.home().active()).isZero();
        assertThat(group.home().awaitingRetryCount()).isEqualTo(1);
        assertThat(group.taskCount()).isEqualTo(1);
        assertThat(group.home().admittedCount()).isEqualTo(3);
        assertThat(group.home().counts()[OutcomeCounters.ADMITTED]).isEqualTo(3);
        assertThat(group.home().counts()[OutcomeCounters.COMMON_OUTCOME]).isEqualTo(2);
    }

    @Test
    void otherOutcomesAreCountedSeparately() {
        submit().cancel();
        assertThat(group.home().count(1)).isEqualTo(1);
        assertThat(group.home().commonOutcomeCount()).isZero();
    }

    @Test
    void terminatedGroupLeavesNoTimerEntry() {
        RetryingTask task = submit(new RetryingTask(1, false));
        group.home().deadlineMonitor().sweepBy(timer.nanoTime() + SOON, timer.nanoTime());
        assertThat(timer.pending()).isEqualTo(1);
        task.cancel();
        runNext();
        group.shut();
        assertThat(timer.pending()).isZero();
        group.home().deadlineMonitor().sweepBy(timer.nanoTime() + SOON, timer.nanoTime());
        assertThat(timer.pending()).as("scheduled too late").isZero();
    }
}
