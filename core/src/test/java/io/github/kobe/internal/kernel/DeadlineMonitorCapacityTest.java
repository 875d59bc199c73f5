package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Does the watch neither hold the timer up, nor keep what nobody uses, nor let one ticket be in the way of others? */
class DeadlineMonitorCapacityTest extends DeadlineMonitorTestBase {

    @Test
    void anExecutorThatNobodyUsesIsNotKeptForADay() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask quick = begun(dispatcher, new TimedTask(NONE, TimeUnit.DAYS.toNanos(1)));
        quick.finishTask(quick.place, "ran");
        timer.advance(TimeUnit.SECONDS.toNanos(15));
        assertThat(timer.pending()).isZero();
    }

    @Test
    void theWatchDoesNotWakeForThoseWithATimeoutOfTheirOwn() {
        Dispatcher dispatcher = dispatcher(NO_CAP, FOR_EVER, 2);
        begun(dispatcher, new TimedTask(NONE, 100));
        begun(dispatcher, new TimedTask(NONE, 100));
        for (int i = 0; i < 3; i++) {
            begun(dispatcher, new TimedTask(NONE, 900));
        }
        assertThat(timer.pendingBut(DeadlineMonitor.class)).isEqualTo(3);
        timer.advance(100);
        assertThat(timer.pending()).as("three timeouts, and no watch").isEqualTo(3);
    }

    @Test
    void thoseBetweenTwoAttemptsAreACrowdToo() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, 2);
        for (int i = 0; i < 6; i++) {
            TimedTask ticket = new TimedTask(NONE, 10_000);
            ticket.retryIn = 1_000;
            begun(dispatcher, ticket);
            ticket.finishAttempt(ticket.place, "failed");
        }
        assertThat(dispatcher.groups().iterator().next().awaitingRetryCount()).isEqualTo(6);
        assertThat(timer.pendingBut(DeadlineMonitor.class))
                .as("six retries, and timeouts of all but the first few")
                .isGreaterThan(6);
    }

    @Test
    void oneThatWaitsBesideACrowdThatRunsHasATimeoutOfItsOwn() {
        Dispatcher dispatcher = dispatcher(5, FOR_EVER, 2);
        for (int i = 0; i < 5; i++) {
            begun(dispatcher, new TimedTask(NONE, NONE));
        }
        submit(dispatcher, new TimedTask(100, NONE));
        assertThat(timer.pendingBut(DeadlineMonitor.class)).isEqualTo(1);
    }

    @Test
    void oneThatCannotBeEndedDoesNotKeepTheOthersFromEnding() {
        Dispatcher dispatcher = dispatcher(NO_CAP, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        List<TimedTask> others = new ArrayList<>();
        others.add(begun(dispatcher, new TimedTask(NONE, 100)));
        others.add(begun(dispatcher, new TimedTask(NONE, 200)));
        begun(dispatcher, new TimedTask(NONE, 100) {
            @Override
            protected void interruptWork() {
                throw new IllegalStateException("a thread of the user's making");
            }
        });
        others.add(begun(dispatcher, new TimedTask(NONE, 100)));
        others.add(begun(dispatcher, new TimedTask(NONE, 200)));
        for (int i = 0; i < 2; i++) {
            try {
                timer.advance(100);
            } catch (IllegalStateException e) {
                timer.advance(0); // the timer reports it, and goes on
            }
        }
        timer.advance(100);
        assertThat(others).extracting(TimedTask::end).containsOnly("TIMED_OUT");
        Thread.interrupted();
    }

    @Test
    void oneThatComesBackInLineMeanwhileIsShown() {
        Dispatcher dispatcher = dispatcher(4, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        List<TimedTask> again = new ArrayList<>();
        List<TimedTask> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) { // x y x y, wherever the set begins
            TimedTask ticket = begun(dispatcher, new TimedTask(NONE, NONE));
            all.add(ticket);
            if (i % 2 == 1) {
                ticket.retryIn = 100;
                again.add(ticket);
            }
        }
        again.forEach(ticket -> ticket.finishAttempt(ticket.place, "failed"));
        all.add(begun(dispatcher, new TimedTask(NONE, NONE))); // have their places
        all.add(begun(dispatcher, new TimedTask(NONE, NONE)));
        List<KernelTask<?>> shown = new ArrayList<>();
        dispatcher.forEachTask("g", ticket -> {
            shown.add(ticket);
            if (!again.contains(ticket)) {
                timer.advance(100); // they come back in line
            }
        });
        assertThat(shown).containsAll(all);
    }
}
