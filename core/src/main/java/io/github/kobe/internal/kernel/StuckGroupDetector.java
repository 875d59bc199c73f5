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
 * does not help: tasks of two groups wait for each other, or a task waits for itself.
 *
 * <p>A group is a candidate if as many threads wait as it has permits in use. A candidate is not stuck if one of its waits may end: an awaited
 * task runs, awaits a retry, or belongs to a group that is not stuck. So candidates are taken away until no more can be. What it reads changes
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
        Map<Group, Set<BlockedWait>> candidates = new HashMap<>();
        Set<KernelTask<?>> waiting = new HashSet<>();
        long since = timer.nanoTime() - PERIOD;
        for (BlockedWait wait : waits) {
            if (wait.isBlockedSince(since)) {
                waiting.addAll(wait.holders());
                wait.groups()
                        .forEach(group -> candidates
                                .computeIfAbsent(group, g -> new HashSet<>())
                                .add(wait));
            }
        }
        candidates
                .entrySet()
                .removeIf(entry -> entry.getValue().size() < entry.getKey().active());
        boolean changed = true;
        while (changed) {
            changed = candidates
                    .values()
                    .removeIf(
                            itsWaits -> itsWaits.stream().anyMatch(wait -> mayEnd(wait, candidates.keySet(), waiting)));
        }
        return candidates;
    }

    private static boolean mayEnd(BlockedWait wait, Set<Group> candidates, Set<KernelTask<?>> waiting) {
        List<KernelTask<?>> awaited = wait.awaited();
        return awaited.isEmpty()
                || awaited.stream().anyMatch(task -> {
                    Group group = task.group();
                    boolean blocked = !task.isCompleted() && (!task.isWithdrawn() || waiting.contains(task));
                    return !blocked || group == null || !candidates.contains(group);
                });
    }

    private static String describe(Set<BlockedWait> waits) {
        String more = waits.size() > MAX_LISTED ? ", and " + (waits.size() - MAX_LISTED) + " more" : "";
        return waits.stream().limit(MAX_LISTED).map(BlockedWait::toString).collect(Collectors.joining(", ")) + more;
    }
}
