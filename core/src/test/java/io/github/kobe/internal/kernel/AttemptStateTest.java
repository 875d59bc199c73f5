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

/** Do budgets and retries take effect at the very instant they should, and leave nothing in the timer? In a crowd, where each has a timeout. */
class AttemptStateTest {

    private static final int NO_CAP = Integer.MAX_VALUE;
    private static final long FOR_EVER = Long.MAX_VALUE;
    private static final long NONE = AttemptLimits.NONE;

    final FakeTimer timer = new FakeTimer();
    private final Deque<Runnable> threads = new ArrayDeque<>();
    private long lag; // how much the timer is behind the clock
    private Runnable whenAThreadIsStarted = () -> {};
    private Dispatcher dispatcher = dispatcher(NO_CAP, NO_CAP);

    private Dispatcher dispatcher(int queueThreshold, int globalCap) {
        timer.advance(1000); // an instant that is not 0, which means "never"
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
                        globalCap, NO_CAP, FOR_EVER, false, false, DispatcherConfig.NO_AGEING, false, crowd()),
                new WeightedRoundRobin(),
                this::startThread,
                late);
    }

    /** How many are no crowd. */
    int crowd() {
        return 0;
    }

    /** Nothing is left that could go off. */
    void assertThatNothingIsPending() {
        assertThat(timer.pending()).isZero();
    }

    private void startThread(Runnable work) {
        threads.add(work);
        whenAThreadIsStarted.run();
    }

    @AfterEach
    void forgetInterruption() {
        Thread.interrupted(); // the threads of the tickets are ours
    }

    /** Work that is done by {@link #runNext}; what an attempt does is up to the test. */
    private static final class OptionedTask extends KernelTask<String> {
        private final AttemptState plan;
        private final IntFunction<String> work;
        private final long[] delays;
        int attempts;

        OptionedTask(AttemptState plan, IntFunction<String> work, long... delays) {
            this.plan = plan;
            this.work = work;
            this.delays = delays;
        }

        @Override
        protected AttemptState attempts() {
            return plan;
        }

        @Override
        protected Object execute() {
            return work.apply(++attempts);
        }

        @Override
        protected Object failed(Throwable fault) {
            return "failed: " + fault.getMessage();
        }

        @Override
        protected long retryDelay(Object result) {
            return result.toString().startsWith("failed") && plan.failedAttempts() < delays.length
                    ? delays[plan.failedAttempts()]
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

        String end() {
            return isCompleted() ? completion().join() : "not ended";
        }
    }

    private static String fail(int attempt) {
        throw new IllegalStateException("attempt " + attempt);
    }

    private OptionedTask submit(OptionedTask ticket) {
        assertThat(dispatcher.submit("g", ticket)).isEqualTo(Admission.ADMITTED);
        return ticket;
    }

    private OptionedTask submit(AttemptState plan, IntFunction<String> work, long... delays) {
        return submit(new OptionedTask(plan, work, delays));
    }

    /** One that has a place until {@link #runNext} lets it run. */
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

    // ---- the budget for running ----------------------------------------------------------------------------------

    @Test
    void taskMayRunForItsWholeBudgetAndNotANanosecondLonger() {
        List<String> seen = new ArrayList<>();
        OptionedTask[] self = new OptionedTask[1];
        self[0] = submit(timeout(100), attempt -> {
            timer.advance(99);
            seen.add(self[0].end() + " " + Thread.currentThread().isInterrupted());
            timer.advance(1);
            seen.add(self[0].end() + " " + Thread.interrupted());
            seen.add(group().active() + " active");
            return "ran";
        });
        runNext();
        assertThat(seen).containsExactly("not ended false", "TIMED_OUT true", "1 active");
        assertThat(self[0].end()).isEqualTo("TIMED_OUT");
        assertThat(group().active()).isZero();
    }

    @Test
    void taskThatEndsInTimeLeavesNothingInTheTimerThatCouldInterruptAnyone() {
        OptionedTask quick = submit(timeout(100), attempt -> "ran");
        runNext();
        assertThat(quick.end()).isEqualTo("ran");
        assertThatNothingIsPending();
        timer.advance(1000);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(quick.end()).isEqualTo("ran");
    }

    @Test
    void withoutBudgetsAndRetriesTheTimerIsNotUsed() {
        plain();
        plain();
        assertThatNothingIsPending();
        runNext();
        runNext();
        assertThatNothingIsPending();
    }

    @Test
    void budgetRunsFromTheStartAndNotWhileTheTaskWaits() {
        plain();
        OptionedTask waiting = submit(timeout(100), attempt -> {
            timer.advance(99);
            return "ran";
        });
        timer.advance(1000);
        assertThat(waiting.end()).isEqualTo("not ended");
        assertThatNothingIsPending();
        runNext();
        runNext();
        assertThat(waiting.end()).isEqualTo("ran");
    }

    @Test
    void budgetGoesOnOverAttemptsAndDelays() {
        for (boolean keeping : new boolean[] {false, true}) {
            OptionedTask slow = submit(new AttemptState(0, NONE, 100, keeping), this::failAfterTwenty, 30, 40);
            runNext(); // until 20
            timer.advance(30); // until 50
            runNext(); // until 70
            assertThat(timer.pending()).as("one deadline, one retry").isEqualTo(2);
            timer.advance(29); // until 99
            assertThat(slow.end()).isEqualTo("not ended");
            timer.advance(1);
            assertThat(slow.end()).isEqualTo("TIMED_OUT");
            assertThat(slow.attempts).isEqualTo(2);
            assertThatNothingIsPending();
        }
    }

    private String failAfterTwenty(int attempt) {
        timer.advance(20);
        return fail(attempt);
    }

    @Test
    void taskThatTimesOutBetweenTwoAttemptsIsGoneAtOnceWithItsPlace() {
        for (boolean keeping : new boolean[] {false, true}) {
            OptionedTask slow = submit(new AttemptState(0, NONE, 100, keeping), AttemptStateTest::fail, 500);
            runNext();
            assertThat(group().awaitingRetryCount()).isEqualTo(1);
            assertThat(group().active()).isEqualTo(keeping ? 1 : 0);
            timer.advance(99);
            assertThat(slow.end()).isEqualTo("not ended");
            timer.advance(1);
            assertThat(slow.end()).isEqualTo("TIMED_OUT");
            assertThat(group().awaitingRetryCount()).isZero();
            assertThat(group().active()).isZero();
            assertThatNothingIsPending();
        }
    }

    @Test
    void taskThatTimesOutInLineForItsNextAttemptLeavesTheLine() {
        OptionedTask slow = submit(timeout(100), AttemptStateTest::fail, 10);
        runNext();
        OptionedTask other = plain();
        timer.advance(10);
        assertThat(group().queued()).isEqualTo(1);
        timer.advance(90);
        assertThat(slow.end()).isEqualTo("TIMED_OUT");
        assertThat(group().queued()).isZero();
        assertThatNothingIsPending();
        runNext();
        assertThat(other.end()).isEqualTo("ran");
        assertThat(threads).isEmpty();
    }

    @Test
    void cancelledTaskLeavesNothingInTheTimer() {
        OptionedTask[] self = new OptionedTask[1];
        self[0] = submit(timeout(100), attempt -> {
            self[0].cancel(false, "while it runs");
            return "ran";
        });
        runNext();
        assertThat(self[0].end()).isEqualTo("cancelled: while it runs");
        assertThatNothingIsPending();
    }

    // ---- the budget for waiting ----------------------------------------------------------------------------------

    @Test
    void taskMayWaitForLessThanItsTimeAndNotANanosecondLonger() {
        plain();
        OptionedTask waiting = submit(maxQueueTime(100), attempt -> "ran");
        timer.advance(99);
        assertThat(waiting.end()).isEqualTo("not ended");
        assertThat(group().queued()).isEqualTo(1);
        timer.advance(1);
        assertThat(waiting.end()).isEqualTo("EXPIRED");
        assertThat(group().queued()).isZero();
        assertThat(group().active()).isEqualTo(1);
        runNext();
        assertThat(threads).isEmpty();
    }

    @Test
    void taskThatStartsInTimeLeavesNothingInTheTimer() {
        plain();
        OptionedTask waiting = submit(maxQueueTime(100), attempt -> {
            timer.advance(1000);
            return "ran";
        });
        timer.advance(99);
        runNext();
        assertThatNothingIsPending();
        runNext();
        assertThat(waiting.end()).isEqualTo("ran");
    }

    @Test
    void taskThatNeedNotWaitNeverTouchesTheTimer() {
        OptionedTask direct = submit(maxQueueTime(1), attempt -> "ran");
        assertThatNothingIsPending();
        timer.advance(1000);
        runNext();
        assertThat(direct.end()).isEqualTo("ran");
    }

    @Test
    void taskCancelledInLineLeavesNothingInTheTimer() {
        plain();
        OptionedTask waiting = submit(maxQueueTime(100), attempt -> "ran");
        waiting.cancel(true, "in line");
        assertThatNothingIsPending();
        assertThat(waiting.end()).isEqualTo("cancelled: in line");
    }

    @Test
    void taskThatIsTooLateDoesNotStartEvenIfTheTimerIsBehind() {
        plain();
        OptionedTask late = submit(maxQueueTime(100), attempt -> "ran");
        OptionedTask next = plain();
        lag = 100;
        runNext();
        assertThat(late.end()).isEqualTo("EXPIRED");
        assertThatNothingIsPending();
        runNext();
        assertThat(next.end()).as("the place went on to the next").isEqualTo("ran");
        assertThat(late.attempts).isZero();
        assertThat(group().active()).isZero();
        assertThat(group().queued()).isZero();
    }

    @Test
    void taskThatIsTooLateGivesItsPlaceOnUnderAGlobalCapToo() {
        dispatcher = dispatcher(NO_CAP, 1);
        plain();
        OptionedTask late = submit(maxQueueTime(100), attempt -> "ran");
        OptionedTask next = plain();
        lag = 100;
        runNext();
        assertThat(late.end()).isEqualTo("EXPIRED");
        runNext();
        assertThat(next.end()).isEqualTo("ran");
        assertThat(dispatcher.globalInFlight()).isZero();
        assertThatNothingIsPending();
    }

    @Test
    void furtherAttemptMayWaitForAsLongAsItTakes() {
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
            assertThat(flaky.end()).isEqualTo("not ended");
            runNext();
            runNext();
            assertThat(flaky.end()).isEqualTo("ran");
            assertThatNothingIsPending();
        }
    }

    // ---- between two attempts ------------------------------------------------------------------------------------

    @Test
    void nextAttemptComesWhenTheDelayIsOverAndNotBefore() {
        for (boolean keeping : new boolean[] {false, true}) {
            AttemptState plan = new AttemptState(0, NONE, NONE, keeping);
            OptionedTask flaky = submit(plan, attempt -> attempt < 3 ? fail(attempt) : "ran", 50, 70);
            runNext();
            timer.advance(49);
            assertThat(threads).isEmpty();
            timer.advance(1);
            runNext();
            timer.advance(69);
            assertThat(threads).isEmpty();
            timer.advance(1);
            runNext();
            assertThat(flaky.end()).isEqualTo("ran");
            assertThatNothingIsPending();
            assertThat(group().active()).isZero();
            assertThat(group().awaitingRetryCount()).isZero();
        }
    }

    @Test
    void placeIsFreeMeanwhileUnlessItIsKept() {
        dispatcher = dispatcher(NO_CAP, 1);
        submit(new AttemptState(0, NONE, NONE, false), AttemptStateTest::fail, 50);
        OptionedTask other = plain();
        runNext();
        assertThat(threads).as("the other one has the place").hasSize(1);
        runNext();
        assertThat(other.end()).isEqualTo("ran");
        assertThat(dispatcher.globalInFlight()).isZero();
        OptionedTask keeper = submit(new AttemptState(0, NONE, NONE, true), AttemptStateTest::fail, 500);
        OptionedTask waiting = plain();
        runNext();
        assertThat(threads).as("nobody gets the place that is kept").isEmpty();
        assertThat(dispatcher.globalInFlight()).isEqualTo(1);
        assertThat(waiting.end()).isEqualTo("not ended");
        keeper.cancel(false, "so that it comes back");
        assertThat(threads).hasSize(1);
    }

    @Test
    void furtherAttemptIsLetInHoweverManyWait() {
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
        assertThat(flaky.end()).isEqualTo("ran");
    }

    @Test
    void cancelledMeanwhileItLeavesNothingInTheTimer() {
        for (boolean keeping : new boolean[] {false, true}) {
            OptionedTask flaky = submit(new AttemptState(0, NONE, 1000, keeping), AttemptStateTest::fail, 50);
            runNext();
            assertThat(timer.pending()).isEqualTo(2);
            flaky.cancel(true, "meanwhile");
            assertThat(flaky.end()).isEqualTo("cancelled: meanwhile");
            assertThatNothingIsPending();
            assertThat(group().active()).isZero();
            assertThat(group().awaitingRetryCount()).isZero();
            timer.advance(100);
            assertThat(threads).isEmpty();
        }
    }

    @Test
    void stoppedMeanwhileItLeavesNothingInTheTimer() {
        OptionedTask flaky = submit(new AttemptState(0, NONE, 1000, true), AttemptStateTest::fail, 50);
        runNext();
        dispatcher.stop();
        assertThat(flaky.end()).isEqualTo("cancelled: executor shut down");
        assertThatNothingIsPending();
    }

    @Test
    void attemptThatWasStoppedWhileItRanIsTheLast() {
        OptionedTask flaky = submit(
                timeout(1000),
                attempt -> {
                    dispatcher.stopGroup("g");
                    return fail(attempt);
                },
                50);
        runNext();
        assertThat(flaky.end()).isEqualTo("cancelled: group shut down");
        assertThatNothingIsPending();
        assertThat(threads).isEmpty();
    }

    @Test
    void cancelledAsItsPlaceGoesToTheNextItIsNotTriedAgainAndLeavesNothingInTheTimer() {
        OptionedTask flaky = submit(timeout(1000), AttemptStateTest::fail, 50);
        OptionedTask next = plain();
        whenAThreadIsStarted = () -> flaky.cancel(true, "before its delay began");
        runNext();
        assertThat(flaky.end()).isEqualTo("cancelled: before its delay began");
        assertThatNothingIsPending();
        assertThat(group().awaitingRetryCount()).isZero();
        runNext();
        assertThat(next.end()).isEqualTo("ran");
        assertThat(group().active()).isZero();
    }

    @Test
    void groupWithoutTimeToLiveStaysUntilTheLastAttemptIsOver() {
        dispatcher = new Dispatcher(
                key -> new GroupLimits(1, 1, NO_CAP),
                NO_CAP,
                NO_CAP,
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
