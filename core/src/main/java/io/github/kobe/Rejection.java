package io.github.kobe;

import io.github.kobe.internal.group.StatsFormatter;
import io.github.kobe.internal.util.Durations;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;

/**
 * Why a task was rejected, with the numbers of about that moment. The numbers are those of the limit that was in the way: those of the
 * task's group, or, if that limit is {@link LimitKind#GLOBAL}, those of all groups together. If it is {@link LimitKind#SHARED}, or a shared limit
 * was paused, {@code active} and {@code limit} are those of the shared limit, {@code queued} and {@code queueCapacity} those of the group. A paused limit has its number all the same.
 *
 * <p>For {@link RejectionReason#TOO_MANY_GROUPS}, {@code active} is the number of known groups and {@code limit} is
 * {@link GroupPolicy.Builder#maxGroups}. No queue is involved, so {@code queued} and {@code queueCapacity} are 0, and there is no estimate.
 *
 * <p>{@link #estimatedWait()} is enough for a {@code Retry-After} of HTTP. It is the number of tasks that would start first, divided by the rate at
 * which permits become free. The rate is that of the tasks that run now: each is expected to take as long as tasks took recently, or as long as
 * it has been running if that is longer. So tasks that hang make the estimate grow. Priorities and weights are not considered. Of more than about
 * thirty running tasks, only some are looked at. For {@link LimitKind#GLOBAL}, hanging tasks count only if all running tasks hang.
 *
 * @param reason the reason
 * @param limitedBy the limit that the task would have had to wait for
 * @param active permits in use
 * @param queued queued tasks that count for {@code queueCapacity}: those beyond the free permits. Tasks of a group that wait only for the global
 *     limit or a shared limit do not count for the group
 * @param limit how many permits there are; {@link Integer#MAX_VALUE} if there is no limit
 * @param queueCapacity how many tasks may be queued; {@link Integer#MAX_VALUE} if there is no limit
 * @param waited how long the task was queued, or the submitter blocked, before the rejection; zero if neither
 * @param estimatedWait about how long a task that is queued now would wait for its start; if the group or a shared limit is paused, from when it is resumed. Zero if
 *     that is not known, because no task has run yet, or after a shutdown
 * @param executorName the name of the executor that rejected the task; empty if it was given none
 * @param leased how many of the permits this JVM holds, if it shares the limit with other JVMs; {@link Integer#MAX_VALUE} if it does not
 * @param sharedLimit the name and the value of the shared limit that was in the way, such as "tenant 'acme'"; empty unless {@code limitedBy} is
 *     {@link LimitKind#SHARED}, or {@link LimitKind#PAUSE} because that limit was paused
 * @param cost how many permits the task needs, see {@link TaskOptions#cost}
 */
public record Rejection(
        RejectionReason reason,
        LimitKind limitedBy,
        int active,
        int queued,
        int limit,
        int queueCapacity,
        Duration waited,
        Duration estimatedWait,
        String executorName,
        int leased,
        String sharedLimit,
        int cost)
        implements Serializable {

    /** Throws {@link NullPointerException} if an argument is {@code null}. */
    public Rejection {
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(limitedBy, "limitedBy");
        Objects.requireNonNull(waited, "waited");
        Objects.requireNonNull(estimatedWait, "estimatedWait");
        Objects.requireNonNull(executorName, "executorName");
        Objects.requireNonNull(sharedLimit, "sharedLimit");
    }

    /** Creates a rejection of a task of cost 1 with the limit that is usual for {@code reason}, and without an estimate: for tests of what handles rejections. */
    public Rejection(RejectionReason reason, int active, int queued, int limit, int queueCapacity, Duration waited) {
        this(
                reason,
                LimitKind.of(Objects.requireNonNull(reason, "reason")),
                active,
                queued,
                limit,
                queueCapacity,
                waited,
                Duration.ZERO,
                "",
                Integer.MAX_VALUE,
                "",
                1);
    }

    /**
     * Returns a text such as "group queue full (3 active, 10 queued, limit 3, queue threshold 10, waited 5 ms, estimated wait 2 s)"; with a name,
     * "group queue full in 'orders' (3 active, ...)". If the limit is shared with other JVMs, such as "group queue full (3 active, 0 queued, limit 10, 3
     * leased, queue threshold 0)". If a shared limit was in the way, such as "expired (10 active, 3 queued, shared limit tenant 'acme' 10, queue threshold 100)"; if that was
     * paused, "paused (...)". Times that are zero are left out. After a shutdown, the numbers are left out.
     */
    @Override
    public String toString() {
        String what = executorName.isEmpty() ? reason.text() : reason.text() + " in '" + executorName + "'";
        String times = (waited.isZero() ? "" : ", waited " + Durations.text(waited))
                + (estimatedWait.isZero() ? "" : ", estimated wait " + Durations.text(estimatedWait));
        if (limitedBy == LimitKind.NONE) {
            return what + times;
        }
        if (limitedBy == LimitKind.MAX_GROUPS) {
            return what + " (" + active + " known, " + limitedBy.text() + " " + orUnlimited(limit) + times + ")";
        }
        return what + " (" + (cost == 1 ? "" : "cost " + cost + ", ") + active + " active, " + queued + " queued, "
                + (sharedLimit.isEmpty() ? limitedBy.text() : LimitKind.SHARED.text() + " " + sharedLimit) + " "
                + orUnlimited(limit)
                + StatsFormatter.leased(leased) + ", queue threshold " + orUnlimited(queueCapacity) + times + ")";
    }

    private static String orUnlimited(int limit) {
        return limit == Integer.MAX_VALUE ? "unlimited" : Integer.toString(limit);
    }
}
