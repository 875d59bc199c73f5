package io.github.kobe.soak;

import io.github.kobe.GroupExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@link io.github.kobe.GroupExecutor}. */
final class GroupWorkload implements FaceWorkload {

    private final GroupFixture rig;
    private final GroupTurmoil turmoil;
    private final List<Operation> load = new ArrayList<>();
    private volatile boolean over;

    GroupWorkload(GroupFixture rig, RandomSource random) {
        this.rig = rig;
        this.turmoil = new GroupTurmoil(rig, random);
        load.addAll(new GroupOperations(rig).ops());
        load.addAll(new ViewLoad(rig).ops());
    }

    GroupFixture rig() {
        return rig;
    }

    @Override
    public String name() {
        return rig.name;
    }

    @Override
    public List<Operation> operations() {
        return load;
    }

    @Override
    public List<Operation> adminOperations() {
        return turmoil.ops();
    }

    @Override
    public int outstandingTasks() {
        return rig.troupe.size();
    }

    @Override
    public void verifyCompleted() {
        rig.troupe.verifyCompleted(50, rig::judge);
    }

    @Override
    public void unblock() {
        turmoil.appease();
    }

    @Override
    public boolean isIdle() {
        GroupExecutorStats stats = rig.executor.stats();
        return rig.troupe.allCompleted()
                && rig.inside() == 0
                && rig.chains.get() == 0
                && (over || rig.viewChains.get() == 0)
                && stats.totalActiveCount() == 0
                && stats.totalQueuedCount() == 0
                && stats.totalRetryingCount() == 0;
    }

    @Override
    public void checkIdle() {
        rig.troupe.verifyAll(rig::judge);
        GroupExecutorStats stats = rig.executor.stats();
        rig.recorder.check(
                Check.NO_PERMIT_WHEN_IDLE,
                stats.totalActiveCount() == 0 && stats.globalInFlightUsed() == 0,
                0,
                () -> rig.name + " at rest has places in use: " + stats);
        ConservationCheck.checkOutcomes(rig.recorder, rig.name, stats.counts());
        if (!over) {
            ConservationCheck.checkSubmitted(
                    rig.recorder, rig.name, stats.counts(), rig.surelyHandedIn.sum(), rig.maybeHandedIn.sum());
        }
    }

    @Override
    public void runScenarios(RandomSource random) {
        turmoil.resetAll();
        new GroupScenarios(rig, random).all();
        turmoil.resetAll();
        checkForgotten();
    }

    void checkForgotten() {
        rig.patience.await(
                Check.IDLE_GROUPS_RETIRED,
                "an empty " + rig.name,
                () -> rig.executor.activeGroupKeys().isEmpty(),
                () -> rig.name + " still knows " + rig.executor.activeGroupKeys() + ": " + rig.executor);
    }

    @Override
    public void shutDown(RandomSource random) {
        turmoil.appease();
        over = true;
        rig.troupe.beginBulkCancel();
        switch (random.below(4)) {
            case 0 -> rig.executor.shutdown();
            case 1 -> rig.executor.close();
            case 2 -> rig.executor.shutdown(random.micros(0, 5000));
            default -> {
                boolean all = rig.executor.shutdown(
                        Duration.ofSeconds(rig.patience.timeout().toSeconds()));
                rig.recorder.check(Check.BECOMES_IDLE, all, 0, () -> rig.name + " does not drain: " + rig.executor);
            }
        }
    }

    @Override
    public boolean isShutdown() {
        return over;
    }

    @Override
    public String diagnostics() {
        return rig.name + ": " + rig.executor + ", rejection " + rig.rejection + ", handler " + rig.handler
                + ", fairness "
                + rig.fairness + ", inside " + rig.inside() + ", chains " + rig.chains + ", view chains "
                + rig.viewChains
                + ", unfinished:" + rig.troupe.describeIncomplete();
    }
}
