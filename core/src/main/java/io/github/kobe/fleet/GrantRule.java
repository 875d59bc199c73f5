package io.github.kobe.fleet;

import io.github.kobe.fleet.ShardState.Entry;
import io.github.kobe.fleet.ShardState.Group;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides who gets the permits of a group: free ones, and those that others hold.
 *
 * <p>Debts are settled first: their permits are in use already. Then free permits are granted one after the other. The session that has the
 * fewest is next; of several, the one that has waited longest. If a session still wants more after that, holders get a target: their
 * max-min share of the limit. If there are more sessions than permits, the permits go round: those that were granted first hand them on to
 * the sessions that have none.
 *
 * <p>A task that costs several permits may need more than the share of its session. When that session has waited longest, free permits are saved for
 * it, and the others share the rest, until it has as many as the task needs.
 */
final class GrantRule {

    private static final Comparator<Entry> BY_TURN = Comparator.comparingLong(e -> e.turn);
    private static final Comparator<Entry> LARGEST_FIRST =
            Comparator.<Entry>comparingInt(e -> -e.granted).thenComparing(BY_TURN);

    private GrantRule() {}

    /** Grants debtors what they use, in the order of their turns, as long as all together stay within the limit. */
    static void settleDebts(Group group, int limit) {
        long free = limit - group.granted();
        List<Entry> debtors = new ArrayList<>();
        for (Entry e : group.entries.values()) {
            if (e.debt > 0) {
                debtors.add(e);
            }
        }
        debtors.sort(BY_TURN);
        for (Entry e : debtors) {
            int settled = Math.clamp(free, 0, e.debt);
            e.granted += settled;
            e.debt -= settled;
            free -= settled;
        }
    }

    /**
     * Returns the session that permits are saved for: of those whose next task costs more than they have, the one that has waited longest.
     * {@code null} if there is none, or if another session that wants permits has waited longer and has less than an equal part of the
     * limit.
     */
    private static @Nullable Entry favoured(Collection<Entry> entries, int limit) {
        Entry first = null;
        for (Entry e : entries) {
            if (e.isSaving(limit) && (first == null || e.turn < first.turn)) {
                first = e;
            }
        }
        if (first == null) {
            return null;
        }
        int part = Math.max(1, limit / entries.size());
        for (Entry e : entries) {
            if (e.turn < first.turn && e.isUnmet() && e.granted < part) {
                return null;
            }
        }
        return first;
    }

    /** Grants free permits, as long as all together stay within the limit, debts included. */
    static void grantFree(Group group, int limit) {
        long free = limit - group.granted() - group.debt();
        Entry first = free > 0 ? favoured(group.entries.values(), limit) : null;
        if (first != null) {
            int more = (int) Math.min(free, first.least - first.granted);
            first.granted += more;
            free -= more;
            if (first.granted == first.least) {
                first.turn = ++group.turns;
            }
        }
        while (free > 0) {
            List<Entry> fewest = fewest(group.entries.values());
            if (fewest.isEmpty()) {
                return;
            }
            int each = step(group.entries.values(), fewest, free);
            for (Entry e : fewest.subList(0, (int) Math.min(fewest.size(), free / each))) {
                e.granted += each;
                e.turn = ++group.turns;
                free -= each;
            }
        }
    }

    /** Returns the sessions that want more and have the fewest permits, in the order of their turns. */
    private static List<Entry> fewest(Collection<Entry> entries) {
        int level = Integer.MAX_VALUE;
        List<Entry> fewest = new ArrayList<>();
        for (Entry e : entries) {
            if (e.isUnmet() && e.granted <= level) {
                if (e.granted < level) {
                    fewest.clear();
                }
                level = e.granted;
                fewest.add(e);
            }
        }
        fewest.sort(BY_TURN);
        return fewest;
    }

    /** Returns how many permits each of {@code fewest} gets in one step; 1 if there is not one for each of them. */
    private static int step(Collection<Entry> entries, List<Entry> fewest, long free) {
        int level = fewest.getFirst().granted;
        long step = free / fewest.size();
        for (Entry e : fewest) {
            step = Math.min(step, e.wanted - e.granted);
        }
        for (Entry e : entries) {
            if (e.isUnmet() && e.granted > level) {
                step = Math.min(step, e.granted - level);
            }
        }
        return (int) Math.max(1, step);
    }

    /** Sets the target of each session: how many permits it may go on using. */
    static void setTargets(Group group, int limit, boolean paused, boolean learning) {
        Collection<Entry> entries = group.entries.values();
        boolean enough =
                group.granted() + group.debt() <= limit && entries.stream().noneMatch(Entry::isUnmet);
        if (paused) {
            entries.forEach(e -> e.target = 0);
        } else if (enough || learning) {
            entries.forEach(e -> e.target = Grant.NO_TARGET);
        } else {
            Entry first = favoured(entries, limit);
            if (first == null) {
                setShares(entries, limit);
                rotate(entries, limit);
            } else {
                first.target = first.granted;
                List<Entry> others = new ArrayList<>(entries);
                others.remove(first);
                setShares(others, limit - first.least);
            }
        }
    }

    /** Sets each target to the max-min share of the limit, or to what the session has, if that is less. */
    private static void setShares(Collection<Entry> entries, int limit) {
        List<Entry> byWant = new ArrayList<>(entries);
        byWant.sort(Comparator.comparingInt(e -> e.wanted));
        long left = limit;
        int met = 0;
        while (met < byWant.size() && (long) byWant.get(met).wanted * (byWant.size() - met) <= left) {
            Entry e = byWant.get(met++);
            e.target = Math.min(e.granted, e.wanted);
            left -= e.wanted;
        }
        List<Entry> others = new ArrayList<>(byWant.subList(met, byWant.size()));
        others.sort(LARGEST_FIRST); // the remainder stays where it is
        for (int i = 0; i < others.size(); i++) {
            Entry e = others.get(i);
            long share = left / others.size() + (i < left % others.size() ? 1 : 0);
            e.target = (int) Math.min(e.granted, share);
        }
    }

    private static void rotate(Collection<Entry> entries, int limit) {
        long free = limit - entries.stream().mapToLong(e -> e.target).sum();
        long starved =
                entries.stream().filter(e -> e.wanted > 0 && e.granted == 0).count();
        entries.stream()
                .filter(e -> e.target > 0)
                .sorted(BY_TURN)
                .limit(Math.max(0, starved - free))
                .forEach(e -> e.target--);
    }
}
