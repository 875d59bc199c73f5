package io.github.kobe;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;

/**
 * How many tasks there were, and how they ended. A task is counted in {@code submitted}, and when it has ended in exactly one
 * of {@code succeeded}, {@code failed}, {@code cancelled} and {@link #rejected()}. The counts are read one after the other while
 * tasks come and go, so they need not belong to one instant. Its text is for people.
 *
 * @param submitted handed to the executor
 * @param succeeded ended {@link TaskStatus#SUCCESS}
 * @param failed ended {@link TaskStatus#FAILED}, those that timed out included
 * @param cancelled ended {@link TaskStatus#CANCELLED}
 * @param timedOut the part of {@code failed} that exceeded its {@link TaskOptions#timeout}
 * @param retried attempts after the first, of all tasks together
 * @param rejectedByReason ended {@link TaskStatus#REJECTED}, by reason; unmodifiable, and without those that never occurred
 */
public record TaskCounts(
        long submitted,
        long succeeded,
        long failed,
        long cancelled,
        long timedOut,
        long retried,
        Map<RejectionReason, Long> rejectedByReason) {

    private static final TaskCounts NONE = new TaskCounts(0, 0, 0, 0, 0, 0, Map.of());

    /** Copies the map. */
    public TaskCounts {
        Objects.requireNonNull(rejectedByReason, "rejectedByReason");
        Map<RejectionReason, Long> copy = new EnumMap<>(RejectionReason.class);
        rejectedByReason.forEach((reason, count) -> {
            Objects.requireNonNull(reason, "rejectedByReason has a null key");
            if (Objects.requireNonNull(count, () -> "rejectedByReason[" + reason + "] is null") != 0) {
                copy.put(reason, count); // equal counts are equal, whether or not zeros were spelled out
            }
        });
        rejectedByReason = Collections.unmodifiableMap(copy);
    }

    /** All zero. */
    public static TaskCounts none() {
        return NONE;
    }

    /** How many ended {@link TaskStatus#REJECTED}, for whatever reason. */
    public long rejected() {
        return rejectedByReason.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The sums of both. */
    public TaskCounts plus(TaskCounts other) {
        Objects.requireNonNull(other, "other");
        Map<RejectionReason, Long> rejections = new EnumMap<>(RejectionReason.class);
        rejections.putAll(rejectedByReason);
        other.rejectedByReason.forEach((reason, count) -> rejections.merge(reason, count, Long::sum));
        return new TaskCounts(
                submitted + other.submitted,
                succeeded + other.succeeded,
                failed + other.failed,
                cancelled + other.cancelled,
                timedOut + other.timedOut,
                retried + other.retried,
                rejections);
    }

    /** Such as "120 submitted, 100 ok, 3 failed (1 timed out), 5 rejected (5 group queue full)"; without what is zero. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ").add(submitted + " submitted");
        if (succeeded != 0) {
            text.add(succeeded + " ok");
        }
        if (failed != 0) {
            text.add(failed + " failed" + (timedOut == 0 ? "" : " (" + timedOut + " timed out)"));
        }
        if (cancelled != 0) {
            text.add(cancelled + " cancelled");
        }
        if (retried != 0) {
            text.add(retried + " retried");
        }
        if (!rejectedByReason.isEmpty()) {
            StringJoiner reasons = new StringJoiner(", ", " (", ")");
            rejectedByReason.forEach((reason, count) -> reasons.add(count + " " + reason.text()));
            text.add(rejected() + " rejected" + reasons);
        }
        return text.toString();
    }
}
