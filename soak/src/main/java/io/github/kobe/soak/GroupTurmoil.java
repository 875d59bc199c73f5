package io.github.kobe.soak;

import io.github.kobe.GroupStats;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is done to a group executor while it works. By one thread. */
final class GroupTurmoil {

    /** Both limits of a group; the smaller one counts. */
    private record Pair(int concurrency, int inFlight) {
        int limit() {
            return Math.min(concurrency, inFlight);
        }
    }

    private static final Pair BY_POLICY = new Pair(GroupFixture.DEFAULT_LIMIT, Integer.MAX_VALUE);

    private static final int MIDDLING = 6;

    private final GroupFixture rig;
    private final boolean lateGate;
    private final Map<String, Pair> limits = new HashMap<>();
    private boolean gateSet; // only then there is an exact figure
    private @Nullable String paused;

    GroupTurmoil(GroupFixture rig, RandomSource random) {
        this.rig = rig;
        this.lateGate = random.oneIn(3);
    }

    List<Operation> ops() {
        return List.of(
                Operation.of("group setMaxConcurrency", 10, this::concurrency),
                Operation.of("group setMaxInFlight", 5, this::inFlight),
                Operation.of("group setQueueThreshold", 3, this::threshold),
                Operation.of("group setWeight", 5, this::weight),
                Operation.of("group setGlobalMaxInFlight", 8, this::globalLimit),
                Operation.of("group pauseGroup", 5, this::pause),
                Operation.of("group resumeGroup", 5, (random, op) -> resume()),
                Operation.of("group resetGroup", 4, this::reset),
                Operation.of("group evictGroup", 10, this::evict),
                Operation.of("group shutdownGroup", 4, this::stopGroup),
                Operation.of("group look", 20, (random, op) -> settle()));
    }

    private void change(String group, Pair pair, Runnable setter) {
        limits.put(group, pair);
        rig.watch(group).changeLimit(pair.limit(), setter);
    }

    private void concurrency(RandomSource random, long op) {
        String group = random.oneOf(GroupFixture.ROUGH);
        int n = random.between(1, 5);
        Pair now = limits.getOrDefault(group, BY_POLICY);
        change(group, new Pair(n, now.inFlight()), () -> rig.executor.setMaxConcurrency(group, n));
    }

    private void inFlight(RandomSource random, long op) {
        String group = random.oneOf(GroupFixture.ROUGH);
        int n = random.oneIn(2) ? Integer.MAX_VALUE : random.between(1, 5);
        Pair now = limits.getOrDefault(group, BY_POLICY);
        change(group, new Pair(now.concurrency(), n), () -> rig.executor.setMaxInFlight(group, n));
    }

    private void reset(RandomSource random, long op) {
        String group = random.oneOf(GroupFixture.ROUGH);
        change(group, BY_POLICY, () -> rig.executor.resetGroup(group));
    }

    private void threshold(RandomSource random, long op) {
        rig.executor.setQueueThreshold(random.oneOf(GroupFixture.ROUGH), random.oneOf(0, 3, 30, Integer.MAX_VALUE));
    }

    private void weight(RandomSource random, long op) {
        rig.executor.setWeight(anyNamed(random), random.between(1, 4));
    }

    private static String anyNamed(RandomSource random) {
        return switch (random.below(4)) {
            case 0 -> GroupFixture.CALM;
            case 1 -> GroupFixture.FIFO + random.below(2);
            default -> random.oneOf(GroupFixture.ROUGH);
        };
    }

    private void globalLimit(RandomSource random, long op) {
        if (rig.gated || lateGate) {
            int n = random.oneIn(10) ? Integer.MAX_VALUE : random.between(1, 8);
            rig.global.changeLimit(n, () -> rig.executor.setGlobalMaxInFlight(n));
            gateSet = true;
        }
    }

    private void pause(RandomSource random, long op) {
        resume();
        String group = anyNamed(random);
        paused = group;
        rig.executor.pauseGroup(group);
    }

    private void resume() {
        String group = paused;
        if (group != null) {
            rig.executor.resumeGroup(group);
            paused = null;
        }
    }

    private void evict(RandomSource random, long op) {
        rig.executor.evictGroup(random.oneIn(3) ? anyNamed(random) : GroupOperations.anyGroup(random));
    }

    private void stopGroup(RandomSource random, long op) {
        rig.executor.shutdownGroup(random.oneOf(GroupFixture.ROUGH));
    }

    /** A look at the figures, which is when lowered limits come into force. */
    private void settle() {
        for (String group : GroupFixture.ROUGH) {
            rig.watch(group)
                    .checkPermitsInUse(() -> rig.executor
                            .groupStats(group)
                            .map(GroupStats::activeCount)
                            .orElse(0));
        }
        if (rig.gated || gateSet) {
            rig.global.checkPermitsInUse(() -> rig.executor.stats().globalInFlightUsed());
        }
    }

    /** Nothing is paused any more. */
    void appease() {
        resume();
        settle();
    }

    /** At rest: everything as the policy has it. */
    void resetAll() {
        for (String group : List.of(GroupFixture.CALM, GroupFixture.FIFO + "0", GroupFixture.FIFO + "1")) {
            rig.executor.resetGroup(group);
        }
        for (String group : GroupFixture.ROUGH) {
            change(group, BY_POLICY, () -> rig.executor.resetGroup(group));
        }
        if (rig.gated || lateGate) {
            int n = rig.gated ? MIDDLING : Integer.MAX_VALUE;
            rig.global.changeLimit(n, () -> rig.executor.setGlobalMaxInFlight(n));
            gateSet = true;
        }
        settle();
    }
}
