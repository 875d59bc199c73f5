package io.github.kobe.micrometer;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskTimeoutException;
import java.util.Locale;

/** Values of the tags {@code outcome} and {@code reason}. */
final class Outcomes {

    static final String SUCCESS = "success";
    static final String FAILURE = "failure";
    static final String TIMEOUT = "timeout";
    static final String CANCELLED = "cancelled";
    static final String REJECTED = "rejected";

    private Outcomes() {}

    static String of(GroupResult<?> result) {
        return switch (result.status()) {
            case SUCCESS -> SUCCESS;
            case FAILED -> isTimeout(result) ? TIMEOUT : FAILURE;
            case CANCELLED -> CANCELLED;
            case REJECTED -> REJECTED;
        };
    }

    static boolean isTimeout(GroupResult<?> result) {
        return result.error() instanceof TaskTimeoutException;
    }

    /** Returns a value such as "group_queue_full". */
    static String reason(RejectionReason reason) {
        return reason.name().toLowerCase(Locale.ROOT);
    }
}
