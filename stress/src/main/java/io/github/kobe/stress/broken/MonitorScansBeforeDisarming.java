package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TimerEvent;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: the monitor scans the queued tasks before it disarms itself. A task that is enqueued in between relies on a sweep that
 * never comes.
 */
public final class MonitorScansBeforeDisarming implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final Queue<RecordingTask> queued = new ConcurrentLinkedQueue<>();
    private volatile boolean armed;

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        queued.add(task);
        if (!armed) {
            armed = true;
        }
        return true;
    }

    @Override
    public boolean cancel(RecordingTask task) {
        queued.clear();
        return true;
    }

    @Override
    public Runnable takeTimerEvent(TimerEvent event) {
        if (event == TimerEvent.MONITOR_SWEEP) {
            return this::scan;
        }
        return armed ? () -> queued.forEach(task -> task.recordOutcome(false)) : null;
    }

    private void scan() {
        boolean anyQueued = !queued.isEmpty();
        RaceWindow.widen();
        armed = anyQueued;
    }

    @Override
    public int occupancy() {
        return queued.size();
    }
}
