package io.github.kobe;

import io.github.kobe.internal.util.Durations;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;

/**
 * Why a task was rejected, with the numbers of about that moment. They are those of its group; only for
 * {@link RejectionReason#GLOBAL_QUEUE_FULL} they are those of all groups together. Its text is for people.
 *
 * @param reason why
 * @param active places in use
 * @param queued tasks that waited
 * @param limit how many places there are; {@link Integer#MAX_VALUE} if there is no limit
 * @param queueCapacity how many tasks may wait; {@link Integer#MAX_VALUE} if there is no limit
 * @param waited how long the task had waited; zero if it was not let in at all
 */
public record Rejection(RejectionReason reason, int active, int queued, int limit, int queueCapacity, Duration waited)
        implements Serializable {

    /** Checks that nothing is {@code null}. */
    public Rejection {
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(waited, "waited");
    }

    /** Such as "group queue full (3 active, 10 queued, limit 3, queue threshold 10, waited 5 ms)". */
    @Override
    public String toString() {
        return reason.text() + " (" + active + " active, " + queued + " queued, limit " + orUnlimited(limit)
                + ", queue threshold " + orUnlimited(queueCapacity)
                + (waited.isZero() ? "" : ", waited " + Durations.text(waited)) + ")";
    }

    private static String orUnlimited(int limit) {
        return limit == Integer.MAX_VALUE ? "unlimited" : Integer.toString(limit);
    }
}
