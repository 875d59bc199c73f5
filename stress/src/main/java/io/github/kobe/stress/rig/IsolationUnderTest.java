package io.github.kobe.stress.rig;

import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.isolation.IsolationQueueAccess;
import java.util.Set;

/**
 * The kernel with the ready queue of the isolation face, without threads and with manual time. No permit is reserved against the
 * groups {@code g} and {@code h}, and no periodic sweep runs. A task that is queued next to a free permit was forgotten.
 */
public final class IsolationUnderTest implements SchedulerUnderTest {

    private static final int NO_LIMIT = Integer.MAX_VALUE - 1;
    private static final GroupLimits LIMITS = new GroupLimits(NO_LIMIT, NO_LIMIT, NO_LIMIT, 1, false);

    private final StepRunner runner = new StepRunner();
    private final IsolationQueueAccess isolation;
    private final Dispatcher dispatcher;
    private final int permits;

    /** @param permits how many tasks may run at once */
    public IsolationUnderTest(int permits) {
        ManualTimer timer = new ManualTimer();
        this.permits = permits;
        this.isolation = new IsolationQueueAccess(permits, Set.of("g", "h"), timer);
        this.dispatcher =
                new Dispatcher(key -> LIMITS, permits, NO_LIMIT, Long.MAX_VALUE, isolation.queue(), runner, timer);
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        return dispatcher.submit(group, task) == Admission.ADMITTED;
    }

    @Override
    public void readStatistics() {
        isolation.look();
    }

    @Override
    public int occupancy() {
        int occupied = Math.max(0, dispatcher.globalInFlight());
        for (Group group : dispatcher.groups()) {
            occupied += group.active() + group.queued();
        }
        return occupied;
    }

    /** Submits one task more than there are permits. A leaked permit changes how many of them start. */
    @Override
    public int leaks() {
        for (int i = 0; i <= permits; i++) {
            submit(i % 2 == 0 ? "g" : "h", new RecordingTask());
        }
        int leaks = Math.abs(runner.startedCount() - permits);
        runner.runAll();
        return leaks + occupancy();
    }
}
