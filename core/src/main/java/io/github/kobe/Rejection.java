package io.github.kobe;

import io.github.kobe.internal.util.Durations;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;

/**
 * Why a task was rejected, with the numbers of about that moment.
 *
 * <p>The numbers are those of the task's group. For {@link RejectionReason#GLOBAL_QUEUE_FULL} they are those of all groups together.
 *
 * @param reason the reason
 * @param active permits in use
 * @param queued queued tasks
 * @param limit how many permits there are; {@link Integer#MAX_VALUE} if there is no limit
 * @param queueCapacity how many tasks may be queued; {@link Integer#MAX_VALUE} if there is no limit
 * @param waited how long the task was queued, or the submitter blocked, before the rejection; zero if neither
 */
public record Rejection(RejectionReason reason, int active, int queued, int limit, int queueCapacity, Duration waited)
        implements Serializable {

    /** Throws {@link NullPointerException} if {@code reason} or {@code waited} is {@code null}. */
    public Rejection {
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(waited, "waited");
    }

    /** Returns a text such as "group queue full (3 active, 10 queued, limit 3, queue threshold 10, waited 5 ms)". */
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
