package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One timer entry serves all tasks of a group, and the deadline monitor does not retain the group. */
class DeadlineMonitorTest extends DeadlineMonitorTestBase {

    @Test
    void oneEntryServesAllRunningTasksAndEachTimesOutAtItsOwnInstant() {
        Dispatcher dispatcher = dispatcher(UNLIMITED, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        long[] budgets = {500, 300, 900, 300, 700, 100};
        List<TimedTask> tasks = new ArrayList<>();
        for (long budget : budgets) {
            tasks.add(started(dispatcher, budget));
        }
        assertThat(timer.pending()).isEqualTo(1);
        for (long instant : new long[] {100, 300, 500, 700, 900}) {
            timer.advance(instant - (timer.nanoTime() - 1) - 1);
            assertThat(tasks)
                    .as("just before %s", instant)
                    .allMatch(task -> (budgets[tasks.indexOf(task)] < instant) == task.isCompleted());
            timer.advance(1);
            assertThat(tasks)
                    .as("at %s", instant)
                    .allMatch(task -> (budgets[tasks.indexOf(task)] <= instant) == task.isCompleted());
        }
        assertThat(tasks).extracting(TimedTask::outcome).containsOnly("TIMED_OUT");
        assertThat(timer.pending()).as("timed-out tasks need no further sweep").isZero();
        tasks.forEach(DeadlineMonitorTest::end);
    }

    @Test
    void oneEntryServesAllQueuedTasks() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask running = started(dispatcher, NONE);
        TimedTask later = submit(dispatcher, 200, NONE);
        TimedTask sooner = submit(dispatcher, 100, NONE);
        assertThat(timer.pending()).isEqualTo(1);
        timer.advance(100);
        assertThat(sooner.outcome()).isEqualTo("EXPIRED");
        assertThat(later.outcome()).isEqualTo("not completed");
        timer.advance(100);
        assertThat(later.outcome()).isEqualTo("EXPIRED");
        assertThat(group(dispatcher).queued()).isZero();
        assertThat(runningTasks(dispatcher)).containsExactly(running);
        end(running);
    }

    @Test
    void timeoutOfAQueuedTaskRunsFromItsStart() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask first = started(dispatcher, NONE);
        TimedTask second = submit(dispatcher, 100, 100);
        timer.advance(99);
        end(first);
        beginNext();
        timer.advance(99);
        assertThat(second.outcome()).isEqualTo("not completed");
        timer.advance(1);
        assertThat(second.outcome()).isEqualTo("TIMED_OUT");
        end(second);
    }

    @Test
    void queuedTaskIsListedOnce() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask running = started(dispatcher, NONE);
        TimedTask waiting = submit(dispatcher, 100, NONE);
        List<KernelTask<?>> shown = new ArrayList<>();
        dispatcher.forEachTask("g", shown::add);
        assertThat(shown).containsExactlyInAnyOrder(running, waiting);
        end(running);
    }

    @Test
    void completedTaskLeavesTheRunningTasksWhateverItsOutcome() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask running = started(dispatcher, NONE);
        submit(dispatcher, 100, NONE).cancel(false, "queued");
        submit(dispatcher, 100, NONE);
        dispatcher.displace("g");
        assertThat(runningTasks(dispatcher)).containsExactly(running);
        submit(dispatcher, 100, NONE);
        dispatcher.stopGroup("g");
        assertThat(runningTasks(dispatcher)).containsExactly(running);
        end(running);
    }

    @Test
    void beyondTheSweepCapacityRunningTasksHaveTheirOwnEntries() {
        Dispatcher dispatcher = dispatcher(UNLIMITED, FOR_EVER, 2);
        List<TimedTask> tasks = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tasks.add(started(dispatcher, 100));
        }
        assertThat(timer.pendingBut(DeadlineMonitor.class)).isEqualTo(3);
        timer.advance(100);
        assertThat(tasks).extracting(TimedTask::outcome).containsOnly("TIMED_OUT");
        tasks.forEach(DeadlineMonitorTest::end);
        assertThat(timer.pending()).isZero();
    }

    @Test
    void beyondTheSweepCapacityQueuedTasksHaveTheirOwnEntries() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, 2);
        TimedTask running = started(dispatcher, NONE);
        List<TimedTask> tasks = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tasks.add(submit(dispatcher, 100, NONE));
        }
        assertThat(timer.pendingBut(DeadlineMonitor.class)).isEqualTo(3);
        timer.advance(100);
        assertThat(tasks).extracting(TimedTask::outcome).containsOnly("EXPIRED");
        assertThat(timer.pending()).isZero();
        end(running);
    }

    @Test
    void idleMonitorSweepsOnceMoreAndThenStops() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        end(started(dispatcher, 100));
        assertThat(timer.pending()).isEqualTo(1);
        timer.advance(100);
        assertThat(timer.pending()).isZero();
        TimedTask slow = started(dispatcher, 100);
        timer.advance(100);
        assertThat(slow.outcome()).isEqualTo("TIMED_OUT");
        end(slow);
    }

    @Test
    void retiredGroupIsNotRetainedByTheTimer() {
        Dispatcher dispatcher = dispatcher(1, 0, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        end(started(dispatcher, 100));
        assertThat(dispatcher.groups()).isEmpty();
        assertThat(timer.pending()).isZero();
    }

    @Test
    void lateSweepOfARetiredGroupLeavesNoTimerEntry() {
        Dispatcher dispatcher = dispatcher(1, 0, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask task = started(dispatcher, NONE);
        Group group = group(dispatcher);
        end(task);
        group.deadlineMonitor()
                .sweepBy(timer.nanoTime() + 100, timer.nanoTime()); // as a submitter that was suspended meanwhile
        assertThat(timer.pending()).isZero();
    }

    @Test
    void afterAFailedTimerStartTheNextTaskTriesAgain() {
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
        Dispatcher dispatcher = dispatcher(UNLIMITED, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY, moody);
        assertThatThrownBy(() -> started(dispatcher, 100)).hasMessage("no thread for the timer");
        broken[0] = false;
        TimedTask slow = started(dispatcher, 200);
        timer.advance(200);
        assertThat(slow.outcome()).isEqualTo("TIMED_OUT");
    }

    @Test
    void veryLongTimeoutDoesNotOverflow() {
        Dispatcher dispatcher = dispatcher(UNLIMITED, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask patient = started(dispatcher, Long.MAX_VALUE - 1);
        TimedTask hasty = started(dispatcher, 100);
        timer.advance(100);
        assertThat(patient.outcome()).isEqualTo("not completed");
        assertThat(hasty.outcome()).isEqualTo("TIMED_OUT");
    }
}
