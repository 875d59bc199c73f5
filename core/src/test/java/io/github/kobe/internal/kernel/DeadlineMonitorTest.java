package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Does one timeout do for all the tickets of a group, and does the watch let go of the group? */
class DeadlineMonitorTest extends DeadlineMonitorTestBase {

    @Test
    void oneTimeoutDoesForAllThatRunAndEachEndsAtItsOwnInstant() {
        Dispatcher dispatcher = dispatcher(NO_CAP, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        long[] budgets = {500, 300, 900, 300, 700, 100};
        List<TimedTask> tickets = new ArrayList<>();
        for (long budget : budgets) {
            tickets.add(begun(dispatcher, budget));
        }
        assertThat(timer.pending()).isEqualTo(1);
        for (long instant : new long[] {100, 300, 500, 700, 900}) {
            timer.advance(instant - (timer.nanoTime() - 1) - 1);
            assertThat(tickets)
                    .as("just before %s", instant)
                    .allMatch(ticket -> (budgets[tickets.indexOf(ticket)] < instant) == ticket.isCompleted());
            timer.advance(1);
            assertThat(tickets)
                    .as("at %s", instant)
                    .allMatch(ticket -> (budgets[tickets.indexOf(ticket)] <= instant) == ticket.isCompleted());
        }
        assertThat(tickets).extracting(TimedTask::end).containsOnly("TIMED_OUT");
        assertThat(timer.pending())
                .as("what may be at work for ever now is of no interest")
                .isZero();
        tickets.forEach(DeadlineMonitorTest::end);
    }

    @Test
    void oneTimeoutDoesForAllThatWait() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask running = begun(dispatcher, NONE);
        TimedTask later = submit(dispatcher, 200, NONE);
        TimedTask sooner = submit(dispatcher, 100, NONE);
        assertThat(timer.pending()).isEqualTo(1);
        timer.advance(100);
        assertThat(sooner.end()).isEqualTo("EXPIRED");
        assertThat(later.end()).isEqualTo("not ended");
        timer.advance(100);
        assertThat(later.end()).isEqualTo("EXPIRED");
        assertThat(group(dispatcher).queued()).isZero();
        assertThat(inRunningSet(dispatcher)).containsExactly(running);
        end(running);
    }

    @Test
    void whoeverWaitedHasItsTimeToRunFromItsStart() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask first = begun(dispatcher, NONE);
        TimedTask second = submit(dispatcher, 100, 100);
        timer.advance(99);
        end(first);
        beginNext();
        timer.advance(99);
        assertThat(second.end()).isEqualTo("not ended");
        timer.advance(1);
        assertThat(second.end()).isEqualTo("TIMED_OUT");
        end(second);
    }

    @Test
    void oneThatWaitsIsShownOnce() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask running = begun(dispatcher, NONE);
        TimedTask waiting = submit(dispatcher, 100, NONE);
        List<KernelTask<?>> shown = new ArrayList<>();
        dispatcher.forEachTask("g", shown::add);
        assertThat(shown).containsExactlyInAnyOrder(running, waiting);
        end(running);
    }

    @Test
    void leavesTheRunningSetWhicheverWayItEnds() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask running = begun(dispatcher, NONE);
        submit(dispatcher, 100, NONE).cancel(false, "in line");
        submit(dispatcher, 100, NONE);
        dispatcher.displace("g");
        assertThat(inRunningSet(dispatcher)).containsExactly(running);
        submit(dispatcher, 100, NONE);
        dispatcher.stopGroup("g");
        assertThat(inRunningSet(dispatcher)).containsExactly(running);
        end(running);
    }

    @Test
    void inACrowdEachHasATimeoutOfItsOwn() {
        Dispatcher dispatcher = dispatcher(NO_CAP, FOR_EVER, 2);
        List<TimedTask> tickets = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tickets.add(begun(dispatcher, 100));
        }
        assertThat(timer.pendingBut(DeadlineMonitor.class)).isEqualTo(3);
        timer.advance(100);
        assertThat(tickets).extracting(TimedTask::end).containsOnly("TIMED_OUT");
        tickets.forEach(DeadlineMonitorTest::end);
        assertThat(timer.pending()).isZero();
    }

    @Test
    void inALongLineEachHasATimeoutOfItsOwn() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, 2);
        TimedTask running = begun(dispatcher, NONE);
        List<TimedTask> tickets = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tickets.add(submit(dispatcher, 100, NONE));
        }
        assertThat(timer.pendingBut(DeadlineMonitor.class)).isEqualTo(3);
        timer.advance(100);
        assertThat(tickets).extracting(TimedTask::end).containsOnly("EXPIRED");
        assertThat(timer.pending()).isZero();
        end(running);
    }

    @Test
    void wakesOnceForNothingAndThenNoMore() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        end(begun(dispatcher, 100));
        assertThat(timer.pending()).isEqualTo(1);
        timer.advance(100);
        assertThat(timer.pending()).isZero();
        TimedTask slow = begun(dispatcher, 100);
        timer.advance(100);
        assertThat(slow.end()).isEqualTo("TIMED_OUT");
        end(slow);
    }

    @Test
    void aGroupThatRetiresIsNotKeptByTheTimer() {
        Dispatcher dispatcher = dispatcher(1, 0, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        end(begun(dispatcher, 100));
        assertThat(dispatcher.groups()).isEmpty();
        assertThat(timer.pending()).isZero();
    }

    @Test
    void whoeverComesAfterItsGroupHasRetiredLeavesNothingInTheTimer() {
        Dispatcher dispatcher = dispatcher(1, 0, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask ticket = begun(dispatcher, NONE);
        Group group = group(dispatcher);
        end(ticket);
        group.deadlineMonitor()
                .sweepBy(timer.nanoTime() + 100, timer.nanoTime()); // its submitter was held up for as long as it took
        assertThat(timer.pending()).isZero();
    }

    @Test
    void ifTheTimerHasNoThreadTheNextTicketTriesAgain() {
        boolean[] broken = {true};
        Timer moody = new Timer() {
            @Override
            public long nanoTime() {
                return timer.nanoTime();
            }

            @Override
            public void start(TimerEntry timeout, long delayNanos) {
                if (broken[0]) {
                    throw new IllegalStateException("no thread for the timer");
                }
                timer.start(timeout, delayNanos);
            }

            @Override
            public boolean cancel(TimerEntry timeout) {
                return timer.cancel(timeout);
            }
        };
        Dispatcher dispatcher = dispatcher(NO_CAP, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY, moody);
        assertThatThrownBy(() -> begun(dispatcher, 100)).hasMessage("no thread for the timer");
        broken[0] = false;
        TimedTask slow = begun(dispatcher, 200);
        timer.advance(200);
        assertThat(slow.end()).isEqualTo("TIMED_OUT");
    }

    @Test
    void aBudgetOfCenturiesIsNoBudgetInThePast() {
        Dispatcher dispatcher = dispatcher(NO_CAP, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask patient = begun(dispatcher, Long.MAX_VALUE - 1);
        TimedTask hasty = begun(dispatcher, 100);
        timer.advance(100);
        assertThat(patient.end()).isEqualTo("not ended");
        assertThat(hasty.end()).isEqualTo("TIMED_OUT");
    }
}
