package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.Timer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * Reports groups that make no progress because all their permits are held by threads that wait for tasks, for a second or longer, and lending
 * does not help: tasks of two groups wait for each other, a task waits for itself, or for a task behind a limit that such threads fill.
 *
 * <p>A wait is stuck if each awaited task is. A task on a thread is stuck if that thread is in a stuck wait. A queued task is stuck if its group, or a limit of its group, has too few free
 * permits, and all that are in use are held by stuck waits. So waits that may end are taken away until no more can be. What it reads changes
 * meanwhile, so it may miss a group, which the next sweep finds. It sweeps while there are waits of threads with permits.
 */
final class StuckGroupDetector {

    private static final long PERIOD = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_LISTED = 3;

    private final Timer timer;
    private final Set<BlockedWait> waits;
    private final BiConsumer<String, String> reporter;
    private final PeriodicSweep sweep;
    private Set<Group> reported = Set.of(); // used by the sweep only

    /** @param reporter gets the key of the group, and which tasks wait for which */
    StuckGroupDetector(Timer timer, Set<BlockedWait> waits, BiConsumer<String, String> reporter) {
        this.timer = timer;
        this.waits = waits;
        this.reporter = reporter;
        this.sweep = new PeriodicSweep(timer, PERIOD, this::sweep, () -> !waits.isEmpty());
    }

    /** A wait was added. */
    void schedule() {
        sweep.schedule();
    }

    void cancel() {
        sweep.cancel();
    }

    private void sweep() {
        Map<Group, Set<BlockedWait>> stuck = stuckGroups();
        stuck.forEach((group, itsWaits) -> {
            if (!reported.contains(group)) {
                reporter.accept(group.key(), describe(itsWaits));
            }
        });
        reported = stuck.keySet();
    }

    private Map<Group, Set<BlockedWait>> stuckGroups() {
        Set<BlockedWait> stuck = new HashSet<>();
        long since = timer.nanoTime() - PERIOD;
        for (BlockedWait wait : waits) {
            if (wait.isBlockedSince(since)) {
                stuck.add(wait);
            }
        }
        while (!stuck.isEmpty()) {
            Holders holders = new Holders(stuck);
            if (!stuck.removeIf(wait -> holders.mayEnd(wait))) {
                return holders.groups();
            }
        }
        return Map.of();
    }

    /** What the threads in {@code waits} hold. */
    private static final class Holders {
        private final Set<KernelTask<?>> tasks = new HashSet<>();
        private final Map<Object, Integer> permits = new HashMap<>(); // by group and by limit
        private final Map<Group, Set<BlockedWait>> waitsByGroup = new HashMap<>();

        Holders(Set<BlockedWait> waits) {
            for (BlockedWait wait : waits) {
                tasks.addAll(wait.holders());
                wait.permits().forEach((of, cost) -> permits.merge(of, cost, Integer::sum));
                wait.groups()
                        .forEach(group -> waitsByGroup
                                .computeIfAbsent(group, g -> new HashSet<>())
                                .add(wait));
            }
        }

        boolean mayEnd(BlockedWait wait) {
            List<KernelTask<?>> awaited = wait.awaited();
            return awaited.isEmpty() || awaited.stream().anyMatch(this::mayProceed);
        }

        private boolean mayProceed(KernelTask<?> task) {
            Group group = task.group();
            if (group == null || task.isCompleted()) {
                return true;
            }
            return task.isWithdrawn() ? !tasks.contains(task) : mayStart(group, task.cost());
        }

        private boolean mayStart(Group group, int cost) {
            boolean fullForGood = !group.hasFreePermits(cost) && hasAll(group, group.active());
            return !fullForGood
                    && group.limitsOverGroups().stream()
                            .allMatch(limit -> limit.limiter.hasFree(cost) || !hasAll(limit, limit.inFlight()));
        }

        private boolean hasAll(Object groupOrLimit, int inUse) {
            return permits.getOrDefault(groupOrLimit, 0) >= inUse;
        }

        /** The groups all of whose permits these threads hold. */
        Map<Group, Set<BlockedWait>> groups() {
            waitsByGroup.keySet().removeIf(group -> !hasAll(group, group.active()));
            return waitsByGroup;
        }
    }

    private static String describe(Set<BlockedWait> waits) {
        String more = waits.size() > MAX_LISTED ? ", and " + (waits.size() - MAX_LISTED) + " more" : "";
        return waits.stream().limit(MAX_LISTED).map(BlockedWait::toString).collect(Collectors.joining(", ")) + more;
    }
}
