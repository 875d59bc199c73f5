package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Time limits and retries take effect at the exact instant, and leave nothing in the timer. Here each task has a timer entry of
 * its own.
 */
class AttemptStateTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long FOR_EVER = Long.MAX_VALUE;
    private static final long NONE = AttemptLimits.NONE;

    final FakeTimer timer = new FakeTimer();
    private final Deque<Runnable> threads = new ArrayDeque<>();
    private long lag; // how much the timer is behind the clock
    private Runnable onThreadStart = () -> {};
    private Dispatcher dispatcher = dispatcher(UNLIMITED, UNLIMITED);

    private Dispatcher dispatcher(int queueThreshold, int globalLimit) {
        timer.advance(1000); // 0 means "not set"
        Timer late = new Timer() {
            @Override
            public long nanoTime() {
                return timer.nanoTime() + lag;
            }

            @Override
            public void start(TimerEntry timeout, long delayNanos) {
                timer.start(timeout, delayNanos);
            }

            @Override
            public boolean cancel(TimerEntry timeout) {
                return timer.cancel(timeout);
            }
        };
        return new Dispatcher(
                key -> new GroupLimits(1, 1, queueThreshold),
                new DispatcherConfig(
                        globalLimit, UNLIMITED, FOR_EVER, false, false, DispatcherConfig.NO_AGEING, sweepCapacity()),
                new WeightedRoundRobin(),
                this::startThread,
                late);
    }

    /** Up to how many tasks the deadline monitor sweeps. */
    int sweepCapacity() {
        return 0;
    }

    /** The timer has no pending entry. */
    void assertThatNothingIsPending() {
        assertThat(timer.pending()).isZero();
    }

    private void startThread(Runnable work) {
        threads.add(work);
        onThreadStart.run();
    }

    @AfterEach
    void forgetInterruption() {
        Thread.interrupted(); // tasks run on this thread
    }

    /** A task that {@link #runNext} runs. The test decides what an attempt does. */
    private static final class OptionedTask extends KernelTask<String> {
        private final AttemptState attemptState;
        private final IntFunction<String> work;
        private final long[] delays;
        int attempts;

        OptionedTask(AttemptState attemptState, IntFunction<String> work, long... delays) {
            this.attemptState = attemptState;
            this.work = work;
            this.delays = delays;
        }

        @Override
        protected AttemptState attempts() {
            return attemptState;
        }

        @Override
        protected Object execute() {
            String result = work.apply(++attempts);
            return endAttemptLimit() ? "failed: too late" : result;
        }

        @Override
        protected boolean hasAttemptsLeft() {
            return attemptState.failedAttempts() < delays.length;
        }

        @Override
        protected Object failed(Throwable fault) {
            return "failed: " + fault.getMessage();
        }

        @Override
        protected long retryDelay(Object result) {
            return result.toString().startsWith("failed") && attemptState.failedAttempts() < delays.length
                    ? delays[attemptState.failedAttempts()]
                    : -1;
        }

        @Override
        protected String cancelled(String why) {
            return "cancelled: " + why;
        }

        @Override
        protected String terminated(TerminationCause why) {
            return why.name();
        }

        String outcome() {
            return isCompleted() ? completion().join() : "not completed";
        }
    }

    private static String fail(int attempt) {
        throw new IllegalStateException("attempt " + attempt);
    }

    private OptionedTask submit(OptionedTask task) {
        assertThat(dispatcher.submit("g", task)).isEqualTo(Admission.ADMITTED);
        return task;
    }

    private OptionedTask submit(AttemptState attemptState, IntFunction<String> work, long... delays) {
        return submit(new OptionedTask(attemptState, work, delays));
    }

    /** A task without limits. It holds its permit until {@link #runNext} has run it. */
    private OptionedTask plain() {
        return submit(new AttemptState(0, NONE, NONE, false), attempt -> "ran");
    }

    private void runNext() {
        threads.remove().run();
    }

    private Group group() {
        return dispatcher.group("g");
    }

    private static AttemptState timeout(long nanos) {
        return new AttemptState(0, NONE, nanos, false);
    }

    private static AttemptState maxQueueTime(long nanos) {
        return new AttemptState(0, nanos, NONE, false);
    }

    // ---- timeout ---------------------------------------------------------------------------------------------------

    @Test
    void timesOutExactlyAtItsTimeout() {
        List<String> seen = new ArrayList<>();
        OptionedTask[] self = new OptionedTask[1];
        self[0] = submit(timeout(100), attempt -> {
            timer.advance(99);
            seen.add(self[0].outcome() + " " + Thread.currentThread().isInterrupted());
            timer.advance(1);
            seen.add(self[0].outcome() + " " + Thread.interrupted());
            seen.add(group().active() + " active");
            return "ran";
        });
        runNext();
        assertThat(seen).containsExactly("not completed false", "TIMED_OUT true", "1 active");
        assertThat(self[0].outcome()).isEqualTo("TIMED_OUT");
        assertThat(group().active()).isZero();
    }

    @Test
    void completedBeforeItsTimeoutLeavesNoTimerEntry() {
        OptionedTask quick = submit(timeout(100), attempt -> "ran");
        runNext();
        assertThat(quick.outcome()).isEqualTo("ran");
        assertThatNothingIsPending();
        timer.advance(1000);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(quick.outcome()).isEqualTo("ran");
    }

    @Test
    void withoutTimeLimitsAndRetriesTheTimerIsNotUsed() {
        plain();
        plain();
        assertThatNothingIsPending();
        runNext();
        runNext();
        assertThatNothingIsPending();
    }

    @Test
    void timeoutRunsFromTheStartAndNotWhileQueued() {
        plain();
        OptionedTask waiting = submit(timeout(100), attempt -> {
            timer.advance(99);
            return "ran";
        });
        timer.advance(1000);
        assertThat(waiting.outcome()).isEqualTo("not completed");
        assertThatNothingIsPending();
        runNext();
        runNext();
        assertThat(waiting.outcome()).isEqualTo("ran");
    }

    @Test
    void timeoutCoversAllAttemptsAndRetryDelays() {
        for (boolean keeping : new boolean[] {false, true}) {
            OptionedTask slow = submit(new AttemptState(0, NONE, 100, keeping), this::failAfterTwenty, 30, 40);
            runNext(); // until 20
            timer.advance(30); // until 50
            runNext(); // until 70
            assertThat(timer.pending()).as("one deadline, one retry").isEqualTo(2);
            timer.advance(29); // until 99
            assertThat(slow.outcome()).isEqualTo("not completed");
            timer.advance(1);
            assertThat(slow.outcome()).isEqualTo("TIMED_OUT");
            assertThat(slow.attempts).isEqualTo(2);
            assertThatNothingIsPending();
        }
    }

    private String failAfterTwenty(int attempt) {
        timer.advance(20);
        return fail(attempt);
    }

    @Test
    void timedOutWhileAwaitingRetryReleasesItsPermitAtOnce() {
        for (boolean keeping : new boolean[] {false, true}) {
            OptionedTask slow = submit(new AttemptState(0, NONE, 100, keeping), AttemptStateTest::fail, 500);
            runNext();
            assertThat(group().awaitingRetryCount()).isEqualTo(1);
            assertThat(group().active()).isEqualTo(keeping ? 1 : 0);
            timer.advance(99);
            assertThat(slow.outcome()).isEqualTo("not completed");
            timer.advance(1);
            assertThat(slow.outcome()).isEqualTo("TIMED_OUT");
            assertThat(group().awaitingRetryCount()).isZero();
            assertThat(group().active()).isZero();
            assertThatNothingIsPending();
        }
    }

    @Test
    void timedOutWhileQueuedForRetryLeavesTheQueue() {
        OptionedTask slow = submit(timeout(100), AttemptStateTest::fail, 10);
        runNext();
        OptionedTask other = plain();
        timer.advance(10);
        assertThat(group().queued()).isEqualTo(1);
        timer.advance(90);
        assertThat(slow.outcome()).isEqualTo("TIMED_OUT");
        assertThat(group().queued()).isZero();
        assertThatNothingIsPending();
        runNext();
        assertThat(other.outcome()).isEqualTo("ran");
        assertThat(threads).isEmpty();
    }

    @Test
    void cancelledWhileRunningLeavesNoTimerEntry() {
        OptionedTask[] self = new OptionedTask[1];
        self[0] = submit(timeout(100), attempt -> {
            self[0].cancel(false, "while it runs");
            return "ran";
        });
        runNext();
        assertThat(self[0].outcome()).isEqualTo("cancelled: while it runs");
        assertThatNothingIsPending();
    }

    // ---- time limit of an attempt ----------------------------------------------------------------------------------

    private static AttemptState attemptLimit(long nanos, long timeout, boolean keepsPermit) {
        return new AttemptState(new AttemptLimits(0, NONE, timeout, nanos, keepsPermit, false));
    }

    @Test
    void attemptIsInterruptedExactlyAtItsLimitAndRetriedWhenItReturns() {
        for (boolean keeping : new boolean[] {false, true}) {
            List<String> seen = new ArrayList<>();
            OptionedTask[] self = new OptionedTask[1];
            self[0] = submit(
                    attemptLimit(100, NONE, keeping),
                    attempt -> {
                        if (attempt == 1) {
                            timer.advance(99);
                            seen.add("interrupted " + Thread.currentThread().isInterrupted());
                            timer.advance(1);
                            seen.add("interrupted " + Thread.currentThread().isInterrupted());
                            timer.advance(1000);
                            seen.add(self[0].outcome() + ", " + group().active() + " active");
                        }
                        return "ran";
                    },
                    10);
            runNext();
            assertThat(seen).containsExactly("interrupted false", "interrupted true", "not completed, 1 active");
            assertThat(Thread.currentThread().isInterrupted())
                    .as("cleared for what follows")
                    .isFalse();
            assertThat(group().awaitingRetryCount()).isEqualTo(1);
            timer.advance(10);
            runNext();
            assertThat(self[0].outcome()).isEqualTo("ran");
            assertThatNothingIsPending();
        }
    }

    @Test
    void eachAttemptHasTheWholeLimit() {
        for (boolean keeping : new boolean[] {false, true}) {
            OptionedTask task = submit(
                    attemptLimit(100, NONE, keeping),
                    attempt -> {
                        timer.advance(99);
                        return attempt == 1 ? fail(attempt) : "ran";
                    },
                    500);
            runNext();
            timer.advance(500);
            runNext();
            assertThat(task.outcome()).isEqualTo("ran");
            assertThat(Thread.interrupted()).isFalse();
            assertThatNothingIsPending();
        }
    }

    @Test
    void lastAttemptCompletesTheTaskAtItsLimit() {
        List<String> seen = new ArrayList<>();
        OptionedTask[] self = new OptionedTask[1];
        self[0] = submit(
                attemptLimit(100, NONE, false),
                attempt -> {
                    timer.advance(100);
                    seen.add(self[0].outcome() + " " + group().active());
                    return "ran";
                },
                10);
        runNext();
        timer.advance(10);
        runNext();
        assertThat(seen).containsExactly("not completed 1", "ATTEMPT_TIMED_OUT 1");
        assertThat(self[0].outcome()).isEqualTo("ATTEMPT_TIMED_OUT");
        assertThat(group().active()).isZero();
        assertThatNothingIsPending();
    }

    @Test
    void limitOfTheTaskHoldsBesideThatOfItsAttempts() {
        OptionedTask task = submit(
                attemptLimit(100, 150, false),
                attempt -> {
                    timer.advance(100);
                    return "ran";
                },
                10,
                10);
        runNext(); // until 100
        timer.advance(10); // until 110
        runNext(); // until 210
        assertThat(task.outcome()).isEqualTo("TIMED_OUT");
        assertThat(task.attempts).isEqualTo(2);
        assertThatNothingIsPending();
    }

    @Test
    void attemptThatThrowsEndsItsLimit() {
        OptionedTask task = submit(attemptLimit(100, NONE, false), AttemptStateTest::fail);
        runNext();
        assertThat(task.outcome()).isEqualTo("failed: attempt 1");
        assertThatNothingIsPending();
    }

    // ---- max queue time --------------------------------------------------------------------------------------------

    @Test
    void expiresExactlyAtItsMaxQueueTime() {
        plain();
        OptionedTask waiting = submit(maxQueueTime(100), attempt -> "ran");
        timer.advance(99);
        assertThat(waiting.outcome()).isEqualTo("not completed");
        assertThat(group().queued()).isEqualTo(1);
        timer.advance(1);
        assertThat(waiting.outcome()).isEqualTo("EXPIRED");
        assertThat(group().queued()).isZero();
        assertThat(group().active()).isEqualTo(1);
        runNext();
        assertThat(threads).isEmpty();
    }

    @Test
    void startedBeforeItsMaxQueueTimeLeavesNoTimerEntry() {
        plain();
        OptionedTask waiting = submit(maxQueueTime(100), attempt -> {
            timer.advance(1000);
            return "ran";
        });
        timer.advance(99);
        runNext();
        assertThatNothingIsPending();
        runNext();
        assertThat(waiting.outcome()).isEqualTo("ran");
    }

    @Test
    void startedAtOnceDoesNotUseTheTimer() {
        OptionedTask direct = submit(maxQueueTime(1), attempt -> "ran");
        assertThatNothingIsPending();
        timer.advance(1000);
        runNext();
        assertThat(direct.outcome()).isEqualTo("ran");
    }

    @Test
    void cancelledWhileQueuedLeavesNoTimerEntry() {
        plain();
        OptionedTask waiting = submit(maxQueueTime(100), attempt -> "ran");
        waiting.cancel(true, "queued");
        assertThatNothingIsPending();
        assertThat(waiting.outcome()).isEqualTo("cancelled: queued");
    }

    @Test
    void expiredTaskNeverStartsEvenIfTheTimerIsLate() {
        plain();
        OptionedTask late = submit(maxQueueTime(100), attempt -> "ran");
        OptionedTask next = plain();
        lag = 100;
        runNext();
        assertThat(late.outcome()).isEqualTo("EXPIRED");
        assertThatNothingIsPending();
        runNext();
        assertThat(next.outcome()).as("the permit went to the next task").isEqualTo("ran");
        assertThat(late.attempts).isZero();
        assertThat(group().active()).isZero();
        assertThat(group().queued()).isZero();
    }

    @Test
    void expiredTaskPassesItsPermitOnUnderAGlobalLimit() {
        dispatcher = dispatcher(UNLIMITED, 1);
        plain();
        OptionedTask late = submit(maxQueueTime(100), attempt -> "ran");
        OptionedTask next = plain();
        lag = 100;
        runNext();
        assertThat(late.outcome()).isEqualTo("EXPIRED");
        runNext();
        assertThat(next.outcome()).isEqualTo("ran");
        assertThat(dispatcher.globalInFlight()).isZero();
        assertThatNothingIsPending();
    }

    @Test
    void maxQueueTimeDoesNotApplyToRetries() {
        for (boolean waitsAtFirst : new boolean[] {false, true}) {
            if (waitsAtFirst) {
                plain();
            }
            OptionedTask flaky = submit(maxQueueTime(100), attempt -> attempt == 1 ? fail(attempt) : "ran", 10);
            while (!threads.isEmpty()) {
                runNext();
            }
            plain();
            timer.advance(10);
            assertThat(group().queued()).isEqualTo(1);
            timer.advance(1000);
            assertThat(flaky.outcome()).isEqualTo("not completed");
            runNext();
            runNext();
            assertThat(flaky.outcome()).isEqualTo("ran");
            assertThatNothingIsPending();
        }
    }

    // ---- awaiting retry --------------------------------------------------------------------------------------------

    @Test
    void nextAttemptStartsExactlyAfterTheRetryDelay() {
        for (boolean keeping : new boolean[] {false, true}) {
            AttemptState attemptState = new AttemptState(0, NONE, NONE, keeping);
            OptionedTask flaky = submit(attemptState, attempt -> attempt < 3 ? fail(attempt) : "ran", 50, 70);
            runNext();
            timer.advance(49);
            assertThat(threads).isEmpty();
            timer.advance(1);
            runNext();
            timer.advance(69);
            assertThat(threads).isEmpty();
            timer.advance(1);
            runNext();
            assertThat(flaky.outcome()).isEqualTo("ran");
            assertThatNothingIsPending();
            assertThat(group().active()).isZero();
            assertThat(group().awaitingRetryCount()).isZero();
        }
    }

    @Test
    void permitIsFreeDuringTheRetryDelayUnlessItIsKept() {
        dispatcher = dispatcher(UNLIMITED, 1);
        submit(new AttemptState(0, NONE, NONE, false), AttemptStateTest::fail, 50);
        OptionedTask other = plain();
        runNext();
        assertThat(threads).as("the other task has the permit").hasSize(1);
        runNext();
        assertThat(other.outcome()).isEqualTo("ran");
        assertThat(dispatcher.globalInFlight()).isZero();
        OptionedTask keeper = submit(new AttemptState(0, NONE, NONE, true), AttemptStateTest::fail, 500);
        OptionedTask waiting = plain();
        runNext();
        assertThat(threads).as("no task gets the kept permit").isEmpty();
        assertThat(dispatcher.globalInFlight()).isEqualTo(1);
        assertThat(waiting.outcome()).isEqualTo("not completed");
        keeper.cancel(false, "releases its permit");
        assertThat(threads).hasSize(1);
    }

    @Test
    void retryIsAdmittedAlthoughTheQueueIsFull() {
        dispatcher = dispatcher(0, 1);
        OptionedTask flaky =
                submit(new AttemptState(0, NONE, NONE, false), attempt -> attempt == 1 ? fail(attempt) : "ran", 10);
        runNext();
        plain();
        assertThat(dispatcher.submit("g", new OptionedTask(timeout(1), attempt -> "ran")))
                .isEqualTo(Admission.GROUP_QUEUE_FULL);
        timer.advance(10);
        assertThat(group().queued()).isEqualTo(1);
        runNext();
        runNext();
        assertThat(flaky.outcome()).isEqualTo("ran");
    }

    @Test
    void cancelledWhileAwaitingRetryLeavesNoTimerEntry() {
        for (boolean keeping : new boolean[] {false, true}) {
            OptionedTask flaky = submit(new AttemptState(0, NONE, 1000, keeping), AttemptStateTest::fail, 50);
            runNext();
            assertThat(timer.pending()).isEqualTo(2);
            flaky.cancel(true, "while awaiting retry");
            assertThat(flaky.outcome()).isEqualTo("cancelled: while awaiting retry");
            assertThatNothingIsPending();
            assertThat(group().active()).isZero();
            assertThat(group().awaitingRetryCount()).isZero();
            timer.advance(100);
            assertThat(threads).isEmpty();
        }
    }

    @Test
    void stoppedWhileAwaitingRetryLeavesNoTimerEntry() {
        OptionedTask flaky = submit(new AttemptState(0, NONE, 1000, true), AttemptStateTest::fail, 50);
        runNext();
        dispatcher.stop();
        assertThat(flaky.outcome()).isEqualTo("cancelled: executor shut down");
        assertThatNothingIsPending();
    }

    @Test
    void attemptThatIsStoppedWhileRunningIsTheLast() {
        OptionedTask flaky = submit(
                timeout(1000),
                attempt -> {
                    dispatcher.stopGroup("g");
                    return fail(attempt);
                },
                50);
        runNext();
        assertThat(flaky.outcome()).isEqualTo("cancelled: group shut down");
        assertThatNothingIsPending();
        assertThat(threads).isEmpty();
    }

    @Test
    void cancelledWhileItsPermitIsPassedOnIsNotRetried() {
        OptionedTask flaky = submit(timeout(1000), AttemptStateTest::fail, 50);
        OptionedTask next = plain();
        onThreadStart = () -> flaky.cancel(true, "before its retry delay");
        runNext();
        assertThat(flaky.outcome()).isEqualTo("cancelled: before its retry delay");
        assertThatNothingIsPending();
        assertThat(group().awaitingRetryCount()).isZero();
        runNext();
        assertThat(next.outcome()).isEqualTo("ran");
        assertThat(group().active()).isZero();
    }

    @Test
    void groupDoesNotRetireWhileATaskAwaitsItsRetry() {
        dispatcher = new Dispatcher(
                key -> new GroupLimits(1, 1, UNLIMITED),
                UNLIMITED,
                UNLIMITED,
                0,
                new WeightedRoundRobin(),
                this::startThread,
                timer);
        submit(new AttemptState(0, NONE, NONE, false), attempt -> attempt == 1 ? fail(attempt) : "ran", 50);
        runNext();
        assertThat(dispatcher.groups()).hasSize(1);
        timer.advance(50);
        assertThat(dispatcher.groups()).hasSize(1);
        runNext();
        assertThat(dispatcher.groups()).isEmpty();
    }
}
