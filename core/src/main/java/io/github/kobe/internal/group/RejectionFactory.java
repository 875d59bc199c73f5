package io.github.kobe.internal.group;

import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes a {@link Rejection} with the numbers of a group. */
final class RejectionFactory {

    private RejectionFactory() {}

    /** If there is no group, the numbers are zero. */
    static Rejection of(RejectionReason reason, @Nullable Group group, long waitedNanos) {
        Duration waited = Duration.ofNanos(Math.max(0, waitedNanos));
        if (group == null) {
            return new Rejection(reason, 0, 0, 0, 0, waited);
        }
        GroupLimits limits = group.limits();
        return new Rejection(reason, group.active(), group.queued(), limits.limit(), limits.queueThreshold(), waited);
    }
}
