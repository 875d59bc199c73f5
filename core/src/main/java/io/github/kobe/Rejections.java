package io.github.kobe;

import io.github.kobe.internal.Group;
import io.github.kobe.internal.Limits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Puts numbers to a rejection. */
final class Rejections {

    private Rejections() {}

    /** With the numbers of {@code group}, which are zero if there is none. */
    static Rejection of(RejectionReason reason, @Nullable Group group, long waitedNanos) {
        Duration waited = Duration.ofNanos(Math.max(0, waitedNanos));
        if (group == null) {
            return new Rejection(reason, 0, 0, 0, 0, waited);
        }
        Limits limits = group.limits();
        return new Rejection(reason, group.active(), group.queued(), limits.limit(), limits.queueThreshold(), waited);
    }
}
