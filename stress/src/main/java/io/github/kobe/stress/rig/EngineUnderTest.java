package io.github.kobe.stress.rig;

import io.github.kobe.GroupPolicy;
import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import io.github.kobe.internal.group.ExecutorName;
import io.github.kobe.internal.group.GroupEngine;
import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.Group;
import java.util.concurrent.CompletableFuture;

/** The engine of the faces, whose groups have one permit each, without threads and with manual time. */
public final class EngineUnderTest implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final GroupEngine engine;

    private EngineUnderTest(int globalLimit) {
        GroupPolicy policy =
                GroupPolicy.builder().globalMaxInFlight(globalLimit).build();
        engine = new GroupEngine(
                ExecutorName.of("group executor", "groups", policy.name()), policy, runner, new ManualTimer());
    }

    /** There is no global limit. */
    public static EngineUnderTest noGlobalLimit() {
        return new EngineUnderTest(Integer.MAX_VALUE);
    }

    /** All groups share one permit. */
    public static EngineUnderTest globalLimit() {
        return new EngineUnderTest(1);
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        return engine.dispatcher().submit(group, task) == Admission.ADMITTED;
    }

    @Override
    public CompletableFuture<Permit> requestPermitAsync(String group) {
        return engine.acquireAsync(group, PermitOptions.defaults());
    }

    @Override
    public int occupancy() {
        int occupied = Math.max(0, engine.dispatcher().globalInFlight());
        for (Group group : engine.dispatcher().groups()) {
            occupied += group.active() + group.queued();
        }
        return occupied;
    }
}
