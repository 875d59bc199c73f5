package io.github.kobe;

import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Puts numbers to a rejection. */
final class RejectionFactory {

    private RejectionFactory() {}

    /** With the numbers of {@code group}, which are zero if there is none. */
    static Rejection of(RejectionReason reason, @Nullable Group group, long waitedNanos) {
        Duration waited = Duration.ofNanos(Math.max(0, waitedNanos));
        if (group == null) {
            return new Rejection(reason, 0, 0, 0, 0, waited);
        }
        GroupLimits limits = group.limits();
        return new Rejection(reason, group.active(), group.queued(), limits.limit(), limits.queueThreshold(), waited);
    }
}
