package io.github.kobe.isolation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who of those in line is next: quick keys first, then of the others the one that runs least, if there is a place that it may have. Not
 * safe for use by several threads.
 */
final class KeySelector {

    /** Before one start in so many it is looked, also while quick keys wait, for one that runs nothing and has waited for too long. */
    private static final int STARTS_PER_OVERDUE_CHECK = 8;

    private final KeyQueues queues;
    private final CapacityPolicy capacity;
    private final long targetNanos;
    private int startsSinceOverdueCheck;

    /** At the last look at them: if there is no room for any when their turn comes, it is theirs when there is. */
    private boolean otherMayStart;

    private int moves; // wraps around

    /** @param targetNanos who has waited for longer, and runs nothing, is overdue */
    KeySelector(KeyQueues lines, CapacityPolicy allotment, long targetNanos) {
        this.queues = lines;
        this.capacity = allotment;
        this.targetNanos = targetNanos;
    }

    /** The key got in line. */
    void enqueue(KeyState share) {
        enqueueAs(share, capacity.classify(share, share.queuedSince), share.queuedSince);
    }

    /** The key, which is in line, may belong elsewhere in it. */
    void requeue(KeyState share, long now) {
        queues.remove(share);
        enqueueAs(share, capacity.classify(share, now), now);
    }

    private void enqueueAs(KeyState share, KeyClass standing, long now) {
        queues.add(share, standing, capacity.expectedTime(share, now));
        capacity.reassess(share, now);
    }

    /** The key, which is next, gets a place for one task, and leaves the line. */
    void dispatch(KeyState share, long now) {
        boolean turn = !share.isQueuedAs(KeyClass.FAST) && isOverdue(share, now);
        boolean noneWanted = startsSinceOverdueCheck >= STARTS_PER_OVERDUE_CHECK && otherMayStart;
        startsSinceOverdueCheck = turn || noneWanted ? 0 : Math.min(startsSinceOverdueCheck + 1, STARTS_PER_OVERDUE_CHECK);
        capacity.onDispatched(share, now);
        queues.remove(share);
        share.polledAt = now;
        capacity.onStarted(share, now);
    }

    /** Takes out those whose tasks have all been withdrawn, and what they wanted with them: they may never be weighed again. */
    List<KeyState> removeIdle(long now) {
        List<KeyState> idle = queues.removeIdle();
        idle.forEach(share -> capacity.reassess(share, now));
        return idle;
    }

    /** Who is served next if there is a free place; {@code null} if nobody is in line for whom there is one. */
    @Nullable
    KeyState next(long now) {
        KeyState next;
        int before;
        do {
            before = moves;
            next = select(now);
        } while (next == null && moves != before); // one that was moved may be next where it is now
        return next;
    }

    private @Nullable KeyState select(long now) {
        KeyState quick = first(KeyClass.FAST, now);
        if (quick != null && startsSinceOverdueCheck < STARTS_PER_OVERDUE_CHECK) {
            return quick;
        }
        KeyState other = firstOther(now);
        otherMayStart = other != null;
        if (quick == null || other == null) {
            return quick == null ? other : quick;
        }
        return isOverdue(other, now) || goesBefore(other, quick, now) ? other : quick;
    }

    /** Whether one of the others is as good as quick by now, and before that one. */
    private boolean goesBefore(KeyState other, KeyState quick, long now) {
        return isFast(other, now) && queues.isBefore(other, capacity.expectedTime(other, now), quick);
    }

    private boolean isFast(KeyState share, long now) {
        return capacity.classify(share, now) == KeyClass.FAST;
    }

    private boolean isOverdue(KeyState share, long now) {
        return share.running == 0 && now - share.queuedSince > targetNanos;
    }

    /** Of those who may not have what is kept for quick work, the one that runs least, if there is a place for it. */
    private @Nullable KeyState firstOther(long now) {
        KeyState proven = firstThatMayStart(KeyClass.ESTABLISHED, now);
        KeyState unproven = firstThatMayStart(KeyClass.UNPROVEN, now);
        if (proven == null || unproven == null) {
            return proven == null ? unproven : proven;
        }
        boolean quick = isFast(proven, now);
        if (quick != isFast(unproven, now)) {
            return quick ? proven : unproven;
        }
        return unproven.running < proven.running ? unproven : proven;
    }

    private @Nullable KeyState firstThatMayStart(KeyClass standing, long now) {
        KeyState first = first(standing, now);
        return first != null && capacity.mayStart(first, capacity.classify(first, now), now) ? first : null;
    }

    /**
     * The first of a line that belongs there, or that is a new key. All new keys become quick, and stop being quick, at the same moment,
     * which may come with every start: if each time all that are in line were moved, a start would take as long as the line.
     */
    private @Nullable KeyState first(KeyClass line, long now) {
        for (KeyState first = queues.first(line); first != null; first = queues.first(line)) {
            KeyClass right = capacity.classify(first, now);
            if (right == line || (right == KeyClass.FAST && first.isNew())) {
                return first;
            }
            queues.remove(first);
            enqueueAs(first, right, now);
            moves++;
        }
        return null;
    }
}
