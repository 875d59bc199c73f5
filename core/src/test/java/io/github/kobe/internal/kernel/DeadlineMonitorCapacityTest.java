package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The deadline monitor does not block the timer, retains no unused executor, and isolates tasks from each other. Beyond its
 * capacity tasks have timer entries of their own.
 */
class DeadlineMonitorCapacityTest extends DeadlineMonitorTestBase {

    @Test
    void unusedExecutorIsNotRetainedUntilALongTimeout() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        TimedTask quick = started(dispatcher, new TimedTask(NONE, TimeUnit.DAYS.toNanos(1)));
        quick.finishTask(quick.slot, "ran");
        timer.advance(TimeUnit.SECONDS.toNanos(15));
        assertThat(timer.pending()).isZero();
    }

    @Test
    void monitorDoesNotSweepForTasksWithTheirOwnEntry() {
        Dispatcher dispatcher = dispatcher(UNLIMITED, FOR_EVER, 2);
        started(dispatcher, new TimedTask(NONE, 100));
        started(dispatcher, new TimedTask(NONE, 100));
        for (int i = 0; i < 3; i++) {
            started(dispatcher, new TimedTask(NONE, 900));
        }
        assertThat(timer.pendingBut(DeadlineMonitor.class)).isEqualTo(3);
        timer.advance(100);
        assertThat(timer.pending()).as("three time limits, and no monitor").isEqualTo(3);
    }

    @Test
    void tasksAwaitingRetryCountTowardsTheSweepCapacity() {
        Dispatcher dispatcher = dispatcher(1, FOR_EVER, 2);
        for (int i = 0; i < 6; i++) {
            TimedTask task = new TimedTask(NONE, 10_000);
            task.retryIn = 1_000;
            started(dispatcher, task);
            task.finishAttempt(task.slot, "failed");
        }
        assertThat(dispatcher.groups().iterator().next().awaitingRetryCount()).isEqualTo(6);
        assertThat(timer.pendingBut(DeadlineMonitor.class))
                .as("six retry entries, and time limits of all but the first few")
                .isGreaterThan(6);
    }

    @Test
    void queuedTaskBesideManyRunningTasksHasItsOwnEntry() {
        Dispatcher dispatcher = dispatcher(5, FOR_EVER, 2);
        for (int i = 0; i < 5; i++) {
            started(dispatcher, new TimedTask(NONE, NONE));
        }
        submit(dispatcher, new TimedTask(100, NONE));
        assertThat(timer.pendingBut(DeadlineMonitor.class)).isEqualTo(1);
    }

    @Test
    void taskThatFailsToBeInterruptedDoesNotKeepOthersFromTimingOut() {
        Dispatcher dispatcher = dispatcher(UNLIMITED, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        List<TimedTask> others = new ArrayList<>();
        others.add(started(dispatcher, new TimedTask(NONE, 100)));
        others.add(started(dispatcher, new TimedTask(NONE, 200)));
        started(dispatcher, new TimedTask(NONE, 100) {
            @Override
            protected void interruptWork() {
                throw new IllegalStateException("a thread of user code");
            }
        });
        others.add(started(dispatcher, new TimedTask(NONE, 100)));
        others.add(started(dispatcher, new TimedTask(NONE, 200)));
        for (int i = 0; i < 2; i++) {
            try {
                timer.advance(100);
            } catch (IllegalStateException e) {
                timer.advance(0); // the real timer logs it and goes on
            }
        }
        timer.advance(100);
        assertThat(others).extracting(TimedTask::outcome).containsOnly("TIMED_OUT");
        Thread.interrupted();
    }

    @Test
    void taskThatIsEnqueuedDuringIterationIsListed() {
        Dispatcher dispatcher = dispatcher(4, FOR_EVER, DispatcherConfig.DEFAULT_SWEEP_CAPACITY);
        List<TimedTask> again = new ArrayList<>();
        List<TimedTask> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) { // x y x y, wherever the iteration begins
            TimedTask task = started(dispatcher, new TimedTask(NONE, NONE));
            all.add(task);
            if (i % 2 == 1) {
                task.retryIn = 100;
                again.add(task);
            }
        }
        again.forEach(task -> task.finishAttempt(task.slot, "failed"));
        all.add(started(dispatcher, new TimedTask(NONE, NONE))); // take the released permits
        all.add(started(dispatcher, new TimedTask(NONE, NONE)));
        List<KernelTask<?>> shown = new ArrayList<>();
        dispatcher.forEachTask("g", task -> {
            shown.add(task);
            if (!again.contains(task)) {
                timer.advance(100); // the retries are enqueued
            }
        });
        assertThat(shown).containsAll(all);
    }
}
