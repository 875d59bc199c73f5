package io.github.kobe.internal.group;

import io.github.kobe.RejectionReason;
import io.github.kobe.TaskCounts;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.OutcomeCounters;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.IntToLongFunction;

/** What each slot of the kernel's counters counts. */
public final class CounterSlots {

    /** Tasks that succeeded. */
    public static final int SUCCEEDED = OutcomeCounters.COMMON_OUTCOME;

    /** Tasks that were submitted and not admitted. The kernel counts the admitted ones. */
    static final int NOT_ADMITTED = 1;

    static final int FAILED = 2;
    static final int CANCELLED = 3;
    static final int TIMED_OUT = 4;
    static final int RETRIED = 5;
    private static final int REJECTED = 6;

    private static final RejectionReason[] REASONS = RejectionReason.values();

    private CounterSlots() {}

    static int rejected(RejectionReason reason) {
        return REJECTED
                + switch (reason) {
                    case GROUP_QUEUE_FULL -> 0;
                    case GLOBAL_QUEUE_FULL -> 1;
                    case EXPIRED -> 2;
                    case SHUT_DOWN -> 3;
                    case PAUSED -> 4;
                    case TOO_MANY_GROUPS -> 5;
                    case TOO_COSTLY -> 6;
                };
    }

    static int of(TaskStatus status, RejectionReason ifRejected) {
        return switch (status) {
            case SUCCESS -> SUCCEEDED;
            case FAILED -> FAILED;
            case CANCELLED -> CANCELLED;
            case REJECTED -> rejected(ifRejected);
        };
    }

    /** Whether each task that was submitted has an outcome. */
    static boolean isComplete(long[] slots) {
        long outcomes = slots[SUCCEEDED] + slots[FAILED] + slots[TIMED_OUT] + slots[CANCELLED];
        for (RejectionReason reason : REASONS) {
            outcomes += slots[rejected(reason)];
        }
        return slots[NOT_ADMITTED] + slots[OutcomeCounters.ADMITTED] == outcomes;
    }

    static TaskCounts counts(long[] slots) {
        return counts(slot -> slots[slot]);
    }

    /** The counts of a group, without an array in between: a snapshot of many groups allocates nothing else. */
    static TaskCounts counts(Group group) {
        return counts(slot -> group.count(slot));
    }

    private static TaskCounts counts(IntToLongFunction slots) {
        long timedOut = slots.applyAsLong(TIMED_OUT);
        return new TaskCounts(
                slots.applyAsLong(NOT_ADMITTED) + slots.applyAsLong(OutcomeCounters.ADMITTED),
                slots.applyAsLong(SUCCEEDED),
                slots.applyAsLong(FAILED) + timedOut,
                slots.applyAsLong(CANCELLED),
                timedOut,
                slots.applyAsLong(RETRIED),
                rejections(slots));
    }

    /** Most groups have none. */
    private static Map<RejectionReason, Long> rejections(IntToLongFunction slots) {
        Map<RejectionReason, Long> rejections = Map.of();
        for (RejectionReason reason : REASONS) {
            long number = slots.applyAsLong(rejected(reason));
            if (number != 0) {
                rejections = rejections.isEmpty() ? new EnumMap<>(RejectionReason.class) : rejections;
                rejections.put(reason, number);
            }
        }
        return rejections;
    }
}
