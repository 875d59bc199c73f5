package io.github.kobe.internal.group;

import io.github.kobe.LimitKind;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link Rejection} with the numbers of the limit that was in the way. Under overload most submits are rejected, so everything here
 * takes constant time: it reads counters that the kernel keeps anyway.
 */
final class RejectionFactory {

    private final Dispatcher dispatcher;
    private final boolean oneQueue;
    private final String executorName;

    /**
     * @param oneQueue whether the queue of a group is that of the executor, because groups have no limits of their own
     * @param executorName empty if it was given none
     */
    RejectionFactory(Dispatcher dispatcher, boolean oneQueue, String executorName) {
        this.dispatcher = dispatcher;
        this.oneQueue = oneQueue;
        this.executorName = executorName;
    }

    /** Of a task that was not admitted. The group may have been retired meanwhile. */
    Rejection notAdmitted(Admission admission, @Nullable Group group, long blockedNanos) {
        if (admission == Admission.CLOSED) {
            return shutDown(blockedNanos);
        }
        if (admission == Admission.TOO_MANY_GROUPS) {
            return tooManyGroups();
        }
        return admission == Admission.GLOBAL_QUEUE_FULL
                ? ofAllGroups(RejectionReason.GLOBAL_QUEUE_FULL, blockedNanos)
                : queueFull(group, blockedNanos);
    }

    private Rejection tooManyGroups() {
        return new Rejection(
                RejectionReason.TOO_MANY_GROUPS,
                LimitKind.MAX_GROUPS,
                dispatcher.groupSlotsTaken(),
                0,
                dispatcher.maxGroups(),
                0,
                Duration.ZERO, // it does not wait
                Duration.ZERO,
                executorName);
    }

    /** Of a task that another one displaced from the queue. */
    Rejection displaced(@Nullable Group group, long waitedNanos) {
        return waitsForGlobalLimit(group)
                ? ofAllGroups(RejectionReason.GLOBAL_QUEUE_FULL, waitedNanos)
                : queueFull(group, waitedNanos);
    }

    private Rejection queueFull(@Nullable Group group, long waitedNanos) {
        boolean paused = group != null && group.limits().paused();
        RejectionReason full = oneQueue ? RejectionReason.GLOBAL_QUEUE_FULL : RejectionReason.GROUP_QUEUE_FULL;
        return ofGroup(paused ? RejectionReason.PAUSED : full, group, waitedNanos);
    }

    /** Of a task that was queued for too long: it may have waited for either limit. */
    Rejection expired(@Nullable Group group, long waitedNanos) {
        return waitsForGlobalLimit(group)
                ? ofAllGroups(RejectionReason.EXPIRED, waitedNanos)
                : ofGroup(RejectionReason.EXPIRED, group, waitedNanos);
    }

    Rejection shutDown(long waitedNanos) {
        return withoutNumbers(RejectionReason.SHUT_DOWN, waitedNanos);
    }

    private Rejection withoutNumbers(RejectionReason reason, long waitedNanos) {
        Duration waited = Duration.ofNanos(Math.max(0, waitedNanos));
        return new Rejection(reason, LimitKind.NONE, 0, 0, 0, 0, waited, Duration.ZERO, executorName);
    }

    private Rejection ofGroup(RejectionReason reason, @Nullable Group group, long waitedNanos) {
        if (group == null) {
            return withoutNumbers(reason, waitedNanos);
        }
        GroupLimits limits = group.limits();
        long estimate = group.estimatedWaitNanos();
        return new Rejection(
                reason,
                limitOf(group, limits),
                group.active(),
                group.queuedForOwnLimit(),
                limits.limit(),
                limits.queueThreshold(),
                Duration.ofNanos(Math.max(0, waitedNanos)),
                Duration.ofNanos(
                        waitsForGlobalLimit(group)
                                ? Math.max(estimate, dispatcher.globalEstimatedWaitNanos())
                                : estimate),
                executorName,
                group.leasedPermits());
    }

    private LimitKind limitOf(Group group, GroupLimits limits) {
        if (limits.paused()) {
            return LimitKind.PAUSE;
        }
        if (group.waitsForLease()) {
            return LimitKind.LEASE;
        }
        return oneQueue
                ? LimitKind.GLOBAL
                : limits.inFlight() < limits.concurrency() ? LimitKind.GROUP_IN_FLIGHT : LimitKind.GROUP_CONCURRENCY;
    }

    private static boolean waitsForGlobalLimit(@Nullable Group group) {
        return group != null && group.isGloballyLimited() && group.hasFreePermits() && !group.waitsForLease();
    }

    private Rejection ofAllGroups(RejectionReason reason, long waitedNanos) {
        return new Rejection(
                reason,
                LimitKind.GLOBAL,
                dispatcher.globalInFlight(),
                dispatcher.globalQueued(),
                dispatcher.globalLimit(),
                dispatcher.globalQueueThreshold(),
                Duration.ofNanos(Math.max(0, waitedNanos)),
                Duration.ofNanos(dispatcher.globalEstimatedWaitNanos()),
                executorName,
                dispatcher.globalLeased());
    }
}
