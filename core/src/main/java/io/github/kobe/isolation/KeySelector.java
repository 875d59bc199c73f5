package io.github.kobe.isolation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who of those in line is next: quick keys first, then of the others the one that runs least, if there is a place that it may have. Not
 * safe for use by several threads.
 */
final class KeySelector {

    /** Before one start in so many it is looked, also while quick keys wait, for one that runs nothing and has waited for too long. */
    private static final int STARTS_PER_TURN = 8;

    private final KeyQueues lines;
    private final CapacityPolicy allotment;
    private final long targetNanos;
    private int startsSinceTurn;

    /** At the last look at them: if there is no room for any when their turn comes, it is theirs when there is. */
    private boolean othersHadRoom;

    private int moves; // wraps around

    /** @param targetNanos who has waited for longer, and runs nothing, is overdue */
    KeySelector(KeyQueues lines, CapacityPolicy allotment, long targetNanos) {
        this.lines = lines;
        this.allotment = allotment;
        this.targetNanos = targetNanos;
    }

    /** The key got in line. */
    void join(KeyState share) {
        enter(share, allotment.standing(share, share.since), share.since);
    }

    /** The key, which is in line, may belong elsewhere in it. */
    void moved(KeyState share, long now) {
        lines.leave(share);
        enter(share, allotment.standing(share, now), now);
    }

    private void enter(KeyState share, KeyClass standing, long now) {
        lines.enter(share, standing, allotment.expected(share, now));
        allotment.weigh(share, now);
    }

    /** The key, which is next, gets a place for one task, and leaves the line. */
    void serve(KeyState share, long now) {
        boolean turn = !share.isIn(KeyClass.QUICK) && isOverdue(share, now);
        boolean noneWanted = startsSinceTurn >= STARTS_PER_TURN && othersHadRoom;
        startsSinceTurn = turn || noneWanted ? 0 : Math.min(startsSinceTurn + 1, STARTS_PER_TURN);
        allotment.served(share, now);
        lines.leave(share);
        share.polledAt = now;
        allotment.began(share, now);
    }

    /** Takes out those whose tasks have all been withdrawn, and what they wanted with them: they may never be weighed again. */
    List<KeyState> takeIdle(long now) {
        List<KeyState> idle = lines.takeIdle();
        idle.forEach(share -> allotment.weigh(share, now));
        return idle;
    }

    /** Who is served next if there is a free place; {@code null} if nobody is in line for whom there is one. */
    @Nullable
    KeyState next(long now) {
        KeyState next;
        int before;
        do {
            before = moves;
            next = look(now);
        } while (next == null && moves != before); // one that was moved may be next where it is now
        return next;
    }

    private @Nullable KeyState look(long now) {
        KeyState quick = first(KeyClass.QUICK, now);
        if (quick != null && startsSinceTurn < STARTS_PER_TURN) {
            return quick;
        }
        KeyState other = other(now);
        othersHadRoom = other != null;
        if (quick == null || other == null) {
            return quick == null ? other : quick;
        }
        return isOverdue(other, now) || goesBefore(other, quick, now) ? other : quick;
    }

    /** Whether one of the others is as good as quick by now, and before that one. */
    private boolean goesBefore(KeyState other, KeyState quick, long now) {
        return isQuick(other, now) && lines.isBefore(other, allotment.expected(other, now), quick);
    }

    private boolean isQuick(KeyState share, long now) {
        return allotment.standing(share, now) == KeyClass.QUICK;
    }

    private boolean isOverdue(KeyState share, long now) {
        return share.running == 0 && now - share.since > targetNanos;
    }

    /** Of those who may not have what is kept for quick work, the one that runs least, if there is a place for it. */
    private @Nullable KeyState other(long now) {
        KeyState proven = firstWithRoom(KeyClass.PROVEN, now);
        KeyState unproven = firstWithRoom(KeyClass.UNPROVEN, now);
        if (proven == null || unproven == null) {
            return proven == null ? unproven : proven;
        }
        boolean quick = isQuick(proven, now);
        if (quick != isQuick(unproven, now)) {
            return quick ? proven : unproven;
        }
        return unproven.running < proven.running ? unproven : proven;
    }

    private @Nullable KeyState firstWithRoom(KeyClass standing, long now) {
        KeyState first = first(standing, now);
        return first != null && allotment.hasRoom(first, allotment.standing(first, now), now) ? first : null;
    }

    /**
     * The first of a line that belongs there, or that is a new key. All new keys become quick, and stop being quick, at the same moment,
     * which may come with every start: if each time all that are in line were moved, a start would take as long as the line.
     */
    private @Nullable KeyState first(KeyClass line, long now) {
        for (KeyState first = lines.first(line); first != null; first = lines.first(line)) {
            KeyClass right = allotment.standing(first, now);
            if (right == line || (right == KeyClass.QUICK && first.isStranger())) {
                return first;
            }
            lines.leave(first);
            enter(first, right, now);
            moves++;
        }
        return null;
    }
}
