package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Flaw: counts running and queued tasks in one step and puts the global limit in force in the next. What changes in between is
 * counted wrongly.
 */
public final class CountsBeforeGlobalLimitApplies implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final Queue<RecordingTask> queue = new ArrayDeque<>();
    private final int limit;
    private int running;
    private boolean hasGlobalLimit;
    private int globalLimit;
    private int globalFree;
    private int globalQueued;

    /** @param limit how many tasks may run at once without a global limit */
    public CountsBeforeGlobalLimitApplies(int limit) {
        this.limit = limit;
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public synchronized boolean submit(String group, RecordingTask task) {
        queue.add(task);
        globalQueued += hasGlobalLimit ? 1 : 0;
        fill();
        return true;
    }

    private void fill() {
        while (running < limit && !queue.isEmpty() && (!hasGlobalLimit || globalFree > 0)) {
            RecordingTask next = queue.remove();
            running++;
            globalFree -= hasGlobalLimit ? 1 : 0;
            globalQueued -= hasGlobalLimit ? 1 : 0;
            runner.add(() -> run(next));
        }
    }

    private void run(RecordingTask task) {
        task.runBody();
        synchronized (this) {
            running--;
            globalFree += hasGlobalLimit ? 1 : 0;
            fill();
        }
        task.recordOutcome(true);
    }

    @Override
    public synchronized boolean cancel(RecordingTask task) {
        if (!queue.remove(task)) {
            return false;
        }
        globalQueued -= hasGlobalLimit ? 1 : 0;
        task.recordOutcome(false);
        return true;
    }

    @Override
    public void resize(int newLimit) {
        int used;
        int waiting;
        synchronized (this) {
            used = running;
            waiting = queue.size();
        }
        RaceWindow.widen();
        synchronized (this) {
            hasGlobalLimit = true;
            globalLimit = newLimit;
            globalFree = newLimit - used;
            globalQueued = waiting;
            fill();
        }
    }

    @Override
    public synchronized int occupancy() {
        return running + queue.size() + Math.abs(globalLimit - globalFree) + Math.abs(globalQueued);
    }
}
