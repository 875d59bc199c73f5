package io.github.kobe.micrometer;

import io.github.kobe.RejectionReason;
import io.github.kobe.TaskCounts;
import io.micrometer.core.instrument.Tags;

/** {@link TaskCounts} as an array, one slot for each counter that is exported. */
final class CountSlots {

    static final int SUBMITTED = 0;
    static final int RETRIES = 1;

    /** From here on, every slot is an outcome. */
    static final int FIRST_OUTCOME = 2;

    private static final int SUCCESS = 2;
    private static final int FAILURE = 3;
    private static final int TIMEOUT = 4;
    private static final int CANCELLED = 5;
    private static final int FIRST_REASON = 6;

    private static final RejectionReason[] REASONS = RejectionReason.values();

    static final int SIZE = FIRST_REASON + REASONS.length;

    private CountSlots() {}

    static long[] of(TaskCounts counts) {
        long[] slots = new long[SIZE];
        slots[SUBMITTED] = counts.submitted();
        slots[RETRIES] = counts.retried();
        slots[SUCCESS] = counts.succeeded();
        slots[FAILURE] = counts.failed() - counts.timedOut();
        slots[TIMEOUT] = counts.timedOut();
        slots[CANCELLED] = counts.cancelled();
        for (int i = 0; i < REASONS.length; i++) {
            slots[FIRST_REASON + i] = counts.rejectedByReason().getOrDefault(REASONS[i], 0L);
        }
        return slots;
    }

    /** The tags of an outcome. Every outcome has both, since a meter must always have the same tag keys. */
    static Tags tags(int slot) {
        return switch (slot) {
            case SUCCESS -> tags(Outcomes.SUCCESS, TagValues.NONE);
            case FAILURE -> tags(Outcomes.FAILURE, TagValues.NONE);
            case TIMEOUT -> tags(Outcomes.TIMEOUT, TagValues.NONE);
            case CANCELLED -> tags(Outcomes.CANCELLED, TagValues.NONE);
            default -> tags(Outcomes.REJECTED, Outcomes.reason(REASONS[slot - FIRST_REASON]));
        };
    }

    private static Tags tags(String outcome, String reason) {
        return Tags.of("outcome", outcome, "reason", reason);
    }
}
