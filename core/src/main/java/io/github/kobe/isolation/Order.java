package io.github.kobe.isolation;

import org.jspecify.annotations.Nullable;

/**
 * Who of those in line is next: quick keys first, then of the others the one that runs least, if there is a place that it may have. Not
 * safe for use by several threads.
 */
final class Order {

    /** One start in so many goes to a key that runs nothing and has waited for too long, also while quick keys wait. */
    private static final int STARTS_PER_TURN = 8;

    private final Lines lines;
    private final Allotment allotment;
    private final long targetNanos;
    private int startsSinceTurn;

    /** @param targetNanos who has waited for longer, and runs nothing, is overdue */
    Order(Lines lines, Allotment allotment, long targetNanos) {
        this.lines = lines;
        this.allotment = allotment;
        this.targetNanos = targetNanos;
    }

    /** The key got in line. */
    void join(TenantShare share) {
        enter(share, allotment.standing(share, share.since), share.since);
    }

    /** The key, which is in line, may belong elsewhere in it. */
    void moved(TenantShare share, long now) {
        lines.leave(share);
        enter(share, allotment.standing(share, now), now);
    }

    private void enter(TenantShare share, Standing standing, long now) {
        lines.enter(share, standing, allotment.expected(share, now));
        allotment.weigh(share, now);
    }

    /** The key, which is next, gets a place for one task, and leaves the line. */
    void serve(TenantShare share, long now) {
        startsSinceTurn = isOverdue(share, now) ? 0 : startsSinceTurn + 1;
        allotment.served(share, now);
        lines.leave(share);
        share.polledAt = now;
        allotment.began(share, now);
    }

    /** Who is served next if there is a free place; {@code null} if nobody is in line for whom there is one. */
    @Nullable
    TenantShare next(long now) {
        TenantShare quick = first(Standing.QUICK, now);
        if (quick != null && startsSinceTurn < STARTS_PER_TURN) {
            return quick;
        }
        TenantShare other = other(now);
        return quick == null || (other != null && isOverdue(other, now)) ? other : quick;
    }

    private boolean isOverdue(TenantShare share, long now) {
        return share.running == 0 && now - share.since > targetNanos;
    }

    /** Of those who may not have what is kept for quick work, the one that runs least, if there is a place for it. */
    private @Nullable TenantShare other(long now) {
        TenantShare proven = firstWithRoom(Standing.PROVEN, now);
        TenantShare unproven = firstWithRoom(Standing.UNPROVEN, now);
        if (proven == null || unproven == null) {
            return proven == null ? unproven : proven;
        }
        return unproven.running < proven.running ? unproven : proven;
    }

    private @Nullable TenantShare firstWithRoom(Standing standing, long now) {
        TenantShare first = first(standing, now);
        return first != null && allotment.hasRoom(first, standing, now) ? first : null;
    }

    /** The first of a line that belongs there. */
    private @Nullable TenantShare first(Standing line, long now) {
        for (TenantShare first = lines.first(line); first != null; first = lines.first(line)) {
            Standing right = allotment.standing(first, now);
            if (right == line) {
                return first;
            }
            lines.leave(first);
            enter(first, right, now);
        }
        return null;
    }
}
