package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TimerEvent;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Flaw: checks whether a task is completed in one step and marks it in the next, instead of one compare-and-set. A task can
 * complete twice.
 */
public final class CompletesWithoutCas implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final Set<RecordingTask> completed = ConcurrentHashMap.newKeySet();
    private final List<RecordingTask> all = new CopyOnWriteArrayList<>();

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        all.add(task);
        runner.add(() -> {
            if (!completed.contains(task)) {
                task.runBody();
                complete(task, true);
            }
        });
        return true;
    }

    @Override
    public boolean cancel(RecordingTask task) {
        return complete(task, false);
    }

    @Override
    public void stopGroup(String group) {
        all.forEach(this::cancel);
    }

    @Override
    public Runnable takeTimerEvent(TimerEvent event) {
        RecordingTask first = all.get(0);
        return () -> cancel(first);
    }

    private boolean complete(RecordingTask task, boolean ran) {
        if (completed.contains(task)) {
            return false;
        }
        RaceWindow.widen();
        completed.add(task);
        task.recordOutcome(ran);
        return true;
    }

    @Override
    public int occupancy() {
        return 0;
    }
}
