package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.PausingTask;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Flaw: a stop scans the running tasks first and sets its flag second. A task that registers in between is missed by both. */
public final class StopScansBeforeFlag implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final Set<RecordingTask> arrived = ConcurrentHashMap.newKeySet();
    private final Set<RecordingTask> decided = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        runner.add(() -> startOnThread((PausingTask) task));
        return true;
    }

    private void startOnThread(PausingTask task) {
        arrived.add(task);
        if (stopped) {
            cancel(task);
        }
        task.pause(() -> run(task));
    }

    private void run(RecordingTask task) {
        if (decided.add(task)) {
            task.runBody();
            task.recordOutcome(true);
        }
        arrived.remove(task);
    }

    @Override
    public boolean cancel(RecordingTask task) {
        boolean decidedHere = decided.add(task);
        if (decidedHere) {
            task.recordOutcome(false);
        }
        return decidedHere;
    }

    @Override
    public void stopGroup(String group) {
        arrived.forEach(this::cancel);
        RaceWindow.widen();
        stopped = true;
    }

    @Override
    public int occupancy() {
        return arrived.size();
    }
}
