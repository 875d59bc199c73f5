package io.github.kobe.internal.group;

import io.github.kobe.LimitKind;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.kernel.Limit;
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
    Rejection notAdmitted(Admission admission, @Nullable Group group, int cost, long blockedNanos) {
        if (admission == Admission.TOO_COSTLY) {
            return tooCostly(group, cost);
        }
        if (admission == Admission.CLOSED) {
            return shutDown(blockedNanos);
        }
        if (admission == Admission.TOO_MANY_GROUPS) {
            return tooManyGroups();
        }
        return admission == Admission.GLOBAL_QUEUE_FULL
                ? ofAllGroups(RejectionReason.GLOBAL_QUEUE_FULL, cost, blockedNanos)
                : queueFull(group, cost, blockedNanos);
    }

    /** The numbers are those of the limit that is too small. */
    private Rejection tooCostly(@Nullable Group group, int cost) {
        Object limit = group == null ? null : group.tooSmallFor(cost);
        if (limit instanceof Limit shared && group != null) {
            return ofShared(RejectionReason.TOO_COSTLY, group, shared, cost, 0);
        }
        return limit == null || limit == group
                ? ofGroup(RejectionReason.TOO_COSTLY, group, cost, 0)
                : ofAllGroups(RejectionReason.TOO_COSTLY, cost, 0);
    }

    private Rejection tooManyGroups() {
        return withoutQueue(
                RejectionReason.TOO_MANY_GROUPS,
                LimitKind.MAX_GROUPS,
                dispatcher.groupSlotsTaken(),
                dispatcher.maxGroups(),
                0); // it does not wait
    }

    /** Of a task that another one displaced from the queue. */
    Rejection displaced(@Nullable Group group, int cost, long waitedNanos) {
        return sharedLimitOf(group, cost) == null && waitsForGlobalLimit(group, cost)
                ? ofAllGroups(RejectionReason.GLOBAL_QUEUE_FULL, cost, waitedNanos)
                : queueFull(group, cost, waitedNanos);
    }

    private Rejection queueFull(@Nullable Group group, int cost, long waitedNanos) {
        Limit shared = sharedLimitOf(group, cost);
        boolean paused = group != null && (group.limits().paused() || (shared != null && shared.isPaused()));
        RejectionReason full = oneQueue ? RejectionReason.GLOBAL_QUEUE_FULL : RejectionReason.GROUP_QUEUE_FULL;
        RejectionReason reason = paused ? RejectionReason.PAUSED : full;
        return shared != null && group != null
                ? ofShared(reason, group, shared, cost, waitedNanos)
                : ofGroup(reason, group, cost, waitedNanos);
    }

    /** Of a task that was queued for too long: it may have waited for either limit. */
    Rejection expired(@Nullable Group group, int cost, long waitedNanos) {
        Limit shared = sharedLimitOf(group, cost);
        if (shared != null && group != null) {
            return ofShared(RejectionReason.EXPIRED, group, shared, cost, waitedNanos);
        }
        return waitsForGlobalLimit(group, cost)
                ? ofAllGroups(RejectionReason.EXPIRED, cost, waitedNanos)
                : ofGroup(RejectionReason.EXPIRED, group, cost, waitedNanos);
    }

    /**
     * The shared limit that a task waits for; {@code null} if there is none. One that is paused is in the way whatever else is, but a paused group comes
     * first; one that is full, only if the group has free permits.
     */
    private static @Nullable Limit sharedLimitOf(@Nullable Group group, int cost) {
        if (group == null || group.limits().paused()) {
            return null;
        }
        Limit paused = group.pausedSharedLimit();
        return paused != null || !group.hasFreePermits(cost) || group.waitsForLease()
                ? paused
                : group.exhaustedSharedLimit(cost);
    }

    Rejection shutDown(long waitedNanos) {
        return withoutNumbers(RejectionReason.SHUT_DOWN, waitedNanos);
    }

    private Rejection withoutNumbers(RejectionReason reason, long waitedNanos) {
        return withoutQueue(reason, LimitKind.NONE, 0, 0, waitedNanos);
    }

    private Rejection withoutQueue(
            RejectionReason reason, LimitKind limitedBy, int active, int limit, long waitedNanos) {
        Duration waited = Duration.ofNanos(Math.max(0, waitedNanos));
        return new Rejection(
                reason, limitedBy, active, 0, limit, 0, waited, Duration.ZERO, executorName, Integer.MAX_VALUE, "", 1);
    }

    private Rejection ofGroup(RejectionReason reason, @Nullable Group group, int cost, long waitedNanos) {
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
                        waitsForGlobalLimit(group, cost)
                                ? Math.max(estimate, dispatcher.globalEstimatedWaitNanos())
                                : estimate),
                executorName,
                group.leasedPermits(),
                "",
                cost);
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

    private static boolean waitsForGlobalLimit(@Nullable Group group, int cost) {
        return group != null && group.isGloballyLimited() && group.hasFreePermits(cost) && !group.waitsForLease();
    }

    /** How long is estimated as for the group alone: a shared limit does not know how long its tasks run. */
    private Rejection ofShared(RejectionReason reason, Group group, Limit shared, int cost, long waitedNanos) {
        return new Rejection(
                reason,
                shared.isPaused() ? LimitKind.PAUSE : LimitKind.SHARED,
                shared.inFlight(),
                group.queued(),
                shared.max(),
                group.limits().queueThreshold(),
                Duration.ofNanos(Math.max(0, waitedNanos)),
                Duration.ofNanos(group.estimatedWaitNanos()),
                executorName,
                shared.leasedPermits(),
                String.valueOf(shared.key()),
                cost);
    }

    private Rejection ofAllGroups(RejectionReason reason, int cost, long waitedNanos) {
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
                dispatcher.globalLeased(),
                "",
                cost);
    }
}
