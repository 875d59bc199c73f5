package io.github.kobe;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;

/**
 * How many tasks were submitted, and how many had each outcome.
 *
 * <p>Each task is counted in {@code submitted}. When it has completed, it is also counted in exactly one of {@code succeeded},
 * {@code failed}, {@code cancelled} and {@link #rejected()}. The counts are read one after the other while tasks are submitted and
 * complete, so they need not belong to one instant.
 *
 * @param submitted tasks that were submitted
 * @param succeeded tasks with the outcome {@link TaskStatus#SUCCESS}
 * @param failed tasks with the outcome {@link TaskStatus#FAILED}, including those that timed out
 * @param cancelled tasks with the outcome {@link TaskStatus#CANCELLED}
 * @param timedOut the part of {@code failed} that exceeded its {@link TaskOptions#timeout}
 * @param retried attempts after the first, summed over all tasks
 * @param rejectedByReason tasks with the outcome {@link TaskStatus#REJECTED}, by reason; unmodifiable, without reasons that never occurred
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

    /** Copies the map and leaves out zeros. Throws {@link NullPointerException} if the map, a key or a value is {@code null}. */
    public TaskCounts {
        rejectedByReason = withoutZeros(Objects.requireNonNull(rejectedByReason, "rejectedByReason"));
    }

    /** Of many snapshots at once, most have no rejections. */
    private static Map<RejectionReason, Long> withoutZeros(Map<RejectionReason, Long> rejectedByReason) {
        if (rejectedByReason.isEmpty()) {
            return Map.of();
        }
        Map<RejectionReason, Long> copy = new EnumMap<>(RejectionReason.class);
        rejectedByReason.forEach((reason, count) -> {
            Objects.requireNonNull(reason, "rejectedByReason has a null key");
            if (Objects.requireNonNull(count, () -> "rejectedByReason[" + reason + "] is null") != 0) {
                copy.put(reason, count); // so that a missing entry equals a zero
            }
        });
        return Collections.unmodifiableMap(copy);
    }

    /** Returns counts that are all zero. */
    public static TaskCounts none() {
        return NONE;
    }

    /** Returns how many tasks had the outcome {@link TaskStatus#REJECTED}, for any reason. */
    public long rejected() {
        long sum = 0;
        for (long number : rejectedByReason.values()) {
            sum += number;
        }
        return sum;
    }

    /** Returns the sum of these counts and {@code other}. */
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

    /** Returns a text such as "120 submitted, 100 ok, 3 failed (1 timed out), 5 rejected (5 group queue full)"; zeros are left out. */
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
