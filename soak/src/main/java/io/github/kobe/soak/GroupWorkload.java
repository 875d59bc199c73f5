package io.github.kobe.soak;

import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupStats;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Load on a {@link io.github.kobe.GroupExecutor}. */
final class GroupWorkload implements FaceWorkload {

    /** Both limits of a group. The smaller one applies. */
    private record GroupLimits(int concurrency, int inFlight) {
        int effective() {
            return Math.min(concurrency, inFlight);
        }
    }

    private static final GroupLimits POLICY_LIMITS = new GroupLimits(GroupFixture.DEFAULT_LIMIT, Integer.MAX_VALUE);

    /** Global limit while scenarios do not set another one. */
    private static final int SCENARIO_GLOBAL_LIMIT = 6;

    private final GroupFixture fixture;
    private final List<Operation> operations;
    private volatile boolean shutdown;

    // Fields of the admin thread. After it has terminated, the main thread uses them.
    private final boolean setsGlobalLimitLater;
    private final Map<String, GroupLimits> limits = new HashMap<>();
    private boolean globalLimitSet; // only then globalInFlightUsed is exact
    private @Nullable String pausedGroup;

    GroupWorkload(GroupFixture fixture, RandomSource random) {
        this.fixture = fixture;
        this.setsGlobalLimitLater = random.oneIn(3);
        this.operations = new GroupOperations(fixture).operations();
    }

    @Override
    public String name() {
        return fixture.name;
    }

    @Override
    public List<Operation> operations() {
        return operations;
    }

    // ---- operations of the admin thread --------------------------------------------------------------------------

    @Override
    public List<Operation> adminOperations() {
        return List.of(
                Operation.of("group setMaxConcurrency", 10, this::setMaxConcurrency),
                Operation.of("group setMaxInFlight", 5, this::setMaxInFlight),
                Operation.of("group setQueueThreshold", 3, this::setQueueThreshold),
                Operation.of("group setWeight", 5, this::setWeight),
                Operation.of("group setGlobalMaxInFlight", 8, this::setGlobalMaxInFlight),
                Operation.of("group pauseGroup", 5, this::pauseGroup),
                Operation.of("group resumeGroup", 5, (random, opId) -> resumeGroup()),
                Operation.of("group resetGroup", 4, this::resetGroup),
                Operation.of("group evictGroup", 10, this::evictGroup),
                Operation.of("group shutdownGroup", 4, this::shutdownGroup),
                Operation.of("group stats", 20, (random, opId) -> checkPermitsInUse()));
    }

    private void changeLimits(String group, GroupLimits newLimits, Runnable setter) {
        limits.put(group, newLimits);
        fixture.groupLimit(group).changeLimit(newLimits.effective(), setter);
    }

    private void setMaxConcurrency(RandomSource random, long opId) {
        String group = random.oneOf(GroupFixture.DISRUPTED);
        int limit = random.between(1, 5);
        GroupLimits current = limits.getOrDefault(group, POLICY_LIMITS);
        changeLimits(
                group,
                new GroupLimits(limit, current.inFlight()),
                () -> fixture.executor.setMaxConcurrency(group, limit));
    }

    private void setMaxInFlight(RandomSource random, long opId) {
        String group = random.oneOf(GroupFixture.DISRUPTED);
        int limit = random.oneIn(2) ? Integer.MAX_VALUE : random.between(1, 5);
        GroupLimits current = limits.getOrDefault(group, POLICY_LIMITS);
        changeLimits(
                group,
                new GroupLimits(current.concurrency(), limit),
                () -> fixture.executor.setMaxInFlight(group, limit));
    }

    private void resetGroup(RandomSource random, long opId) {
        String group = random.oneOf(GroupFixture.DISRUPTED);
        changeLimits(group, POLICY_LIMITS, () -> fixture.executor.resetGroup(group));
    }

    private void setQueueThreshold(RandomSource random, long opId) {
        fixture.executor.setQueueThreshold(
                random.oneOf(GroupFixture.DISRUPTED), random.oneOf(0, 3, 30, Integer.MAX_VALUE));
    }

    private void setWeight(RandomSource random, long opId) {
        fixture.executor.setWeight(anyNamedGroup(random), random.between(1, 4));
    }

    private static String anyNamedGroup(RandomSource random) {
        return switch (random.below(4)) {
            case 0 -> GroupFixture.STABLE;
            case 1 -> GroupFixture.FIFO + random.below(2);
            default -> random.oneOf(GroupFixture.DISRUPTED);
        };
    }

    private void setGlobalMaxInFlight(RandomSource random, long opId) {
        if (fixture.hasGlobalLimit || setsGlobalLimitLater) {
            setGlobalLimit(random.oneIn(10) ? Integer.MAX_VALUE : random.between(1, 8));
        }
    }

    private void setGlobalLimit(int limit) {
        fixture.globalLimit.changeLimit(limit, () -> fixture.executor.setGlobalMaxInFlight(limit));
        globalLimitSet = true;
    }

    /** At most one group is paused at a time. */
    private void pauseGroup(RandomSource random, long opId) {
        resumeGroup();
        String group = anyNamedGroup(random);
        pausedGroup = group;
        fixture.executor.pauseGroup(group);
    }

    private void resumeGroup() {
        String group = pausedGroup;
        if (group != null) {
            fixture.executor.resumeGroup(group);
            pausedGroup = null;
        }
    }

    private void evictGroup(RandomSource random, long opId) {
        fixture.executor.evictGroup(random.oneIn(3) ? anyNamedGroup(random) : GroupOperations.anyGroup(random));
    }

    private void shutdownGroup(RandomSource random, long opId) {
        fixture.executor.shutdownGroup(random.oneOf(GroupFixture.DISRUPTED));
    }

    /** Compares the statistics with the limits. Lowered limits are enforced from then on. */
    private void checkPermitsInUse() {
        for (String group : GroupFixture.DISRUPTED) {
            fixture.groupLimit(group)
                    .checkPermitsInUse(() -> fixture.executor
                            .groupStats(group)
                            .map(GroupStats::activeCount)
                            .orElse(0));
        }
        if (fixture.hasGlobalLimit || globalLimitSet) {
            fixture.globalLimit.checkPermitsInUse(() -> fixture.executor.stats().globalInFlightUsed());
        }
    }

    // ---- checks --------------------------------------------------------------------------------------------------

    @Override
    public int outstandingTasks() {
        return fixture.tracker.size();
    }

    @Override
    public void verifyCompleted() {
        fixture.tracker.verifyCompleted(50, fixture::verify);
    }

    @Override
    public void unblock() {
        resumeGroup();
        checkPermitsInUse();
    }

    @Override
    public boolean isIdle() {
        GroupExecutorStats stats = fixture.executor.stats();
        return fixture.tracker.allCompleted()
                && fixture.running() == 0
                && fixture.pendingStages.get() == 0
                && (shutdown || fixture.pendingViewStages.get() == 0)
                && stats.totalActiveCount() == 0
                && stats.totalQueuedCount() == 0
                && stats.totalRetryingCount() == 0;
    }

    @Override
    public void checkIdle() {
        fixture.tracker.verifyAll(fixture::verify);
        GroupExecutorStats stats = fixture.executor.stats();
        fixture.recorder.check(
                Check.NO_PERMIT_WHEN_IDLE,
                stats.totalActiveCount() == 0 && stats.globalInFlightUsed() == 0,
                0,
                () -> fixture.name + " is idle with permits in use: " + stats);
        ConservationCheck.checkOutcomes(fixture.recorder, fixture.name, stats.counts());
        if (!shutdown) {
            ConservationCheck.checkSubmitted(
                    fixture.recorder,
                    fixture.name,
                    stats.counts(),
                    fixture.submitted.sum(),
                    fixture.possiblySubmitted.sum());
        }
    }

    @Override
    public void runScenarios(RandomSource random) {
        resetAll();
        new GroupScenarios(fixture, random).runAll();
        resetAll();
        checkGroupsRetired();
    }

    /** Resets every group to the limits of the policy. */
    private void resetAll() {
        for (String group : List.of(GroupFixture.STABLE, GroupFixture.FIFO + "0", GroupFixture.FIFO + "1")) {
            fixture.executor.resetGroup(group);
        }
        for (String group : GroupFixture.DISRUPTED) {
            changeLimits(group, POLICY_LIMITS, () -> fixture.executor.resetGroup(group));
        }
        if (fixture.hasGlobalLimit || setsGlobalLimitLater) {
            setGlobalLimit(fixture.hasGlobalLimit ? SCENARIO_GLOBAL_LIMIT : Integer.MAX_VALUE);
        }
        checkPermitsInUse();
    }

    void checkGroupsRetired() {
        fixture.watchdog.await(
                Check.IDLE_GROUPS_RETIRED,
                fixture.name + " to retire all groups",
                () -> fixture.executor.activeGroupKeys().isEmpty(),
                () -> fixture.name + " still tracks " + fixture.executor.activeGroupKeys() + ": " + fixture.executor);
    }

    @Override
    public void shutDown(RandomSource random) {
        unblock();
        shutdown = true;
        fixture.tracker.beginBulkCancel();
        switch (random.below(4)) {
            case 0 -> fixture.executor.shutdown();
            case 1 -> fixture.executor.close();
            case 2 -> fixture.executor.shutdown(random.micros(0, 5000));
            default -> {
                Duration timeout = Duration.ofSeconds(fixture.watchdog.timeout().toSeconds());
                boolean drained = fixture.executor.shutdown(timeout);
                fixture.recorder.check(
                        Check.BECOMES_IDLE, drained, 0, () -> fixture.name + " does not drain: " + fixture.executor);
            }
        }
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public String diagnostics() {
        return fixture.name + ": " + fixture.executor + ", rejection policy " + fixture.rejectionPolicy
                + ", rejection handler " + fixture.hasRejectionHandler + ", fairness " + fixture.fairness + ", running "
                + fixture.running() + ", pending stages " + fixture.pendingStages + ", pending view stages "
                + fixture.pendingViewStages + ", incomplete:" + fixture.tracker.describeIncomplete();
    }
}
