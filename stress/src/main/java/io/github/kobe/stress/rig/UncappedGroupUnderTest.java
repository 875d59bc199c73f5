package io.github.kobe.stress.rig;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.kernel.StandaloneGroup;
import io.github.kobe.internal.time.TimerEntry;

/** A standalone group without a limit, without threads and with manual time. All keys belong to this group. */
public final class UncappedGroupUnderTest implements SchedulerUnderTest {

    private static final int SOME_TASKS = 3;

    private final StepRunner runner = new StepRunner();
    private final ManualTimer timer = new ManualTimer();
    private final StandaloneGroup group = new StandaloneGroup(
            "all",
            Integer.MAX_VALUE,
            new Dispatcher(
                    key -> new GroupLimits(1, 1, 1), 1, 1, Long.MAX_VALUE, new WeightedRoundRobin(), runner, timer));

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String key, RecordingTask task) {
        return group.submit(task);
    }

    @Override
    public int occupancy() {
        return Math.toIntExact(group.taskCount());
    }

    /**
     * Submits tasks, closes and runs all of them. A leaked count and a timer entry that was not cancelled are leaks. The group is
     * terminated afterwards.
     */
    @Override
    public int leaks() {
        int leaks = occupancy() + timer.pendingTaskEntries();
        for (int i = 0; i < SOME_TASKS; i++) {
            submit("all", new RecordingTask());
        }
        leaks += Math.abs(runner.startedCount() - SOME_TASKS);
        close();
        leaks += isTerminated() ? 1 : 0;
        runner.runAll();
        return leaks + occupancy() + (isTerminated() ? 0 : 1);
    }

    @Override
    public boolean cancel(RecordingTask task) {
        return task.cancelWithoutInterrupt();
    }

    @Override
    public void stopGroup(String key) {
        group.stopAll("by the race");
    }

    @Override
    public Runnable takeTimerEvent(TimerEvent event) {
        TimerEntry entry = timer.take(event);
        return entry == null ? null : entry::fire;
    }

    @Override
    public void close() {
        group.shut();
    }

    @Override
    public boolean isTerminated() {
        return group.isTerminated();
    }
}
