package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Flaw: compares the number of groups with the maximum in one step and creates the group in the next. Two submitters can pass the
 * same check.
 */
public final class ChecksGroupCountThenCreates implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final int maxGroups;
    private final Map<String, Integer> runningByGroup = new ConcurrentHashMap<>();

    /** @param maxGroups how many groups may exist */
    public ChecksGroupCountThenCreates(int maxGroups) {
        this.maxGroups = maxGroups;
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        if (!runningByGroup.containsKey(group) && runningByGroup.size() >= maxGroups) {
            return false;
        }
        RaceWindow.widen();
        runningByGroup.merge(group, 1, Integer::sum);
        runner.add(() -> {
            task.runBody();
            runningByGroup.computeIfPresent(group, (key, running) -> running == 1 ? null : running - 1);
            task.recordOutcome(true);
        });
        return true;
    }

    @Override
    public int occupancy() {
        return runningByGroup.values().stream().mapToInt(Integer::intValue).sum();
    }
}
