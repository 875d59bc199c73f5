package io.github.kobe.internal.kernel;

/**
 * Faults that the simulation injects around the kernel. Each breaks one promise and proves that the check of this promise can
 * fail.
 */
enum InjectedFault {
    /** No fault. */
    NONE(""),
    /** The ready queue loses a group now and then. */
    READY_QUEUE_LOSES_GROUP("work conserving"),
    /** The group that became ready last is dispatched first. */
    LIFO_READY_QUEUE("round robin"),
    /** A permit is released twice. */
    DOUBLE_RELEASE("truthful permits"),
    /** A cancelled task releases its permit while it still runs. */
    RELEASE_AT_CANCEL("truthful permits"),
    /** The group has one permit more than its limit. */
    EXTRA_GROUP_PERMIT("hard limit"),
    /** There is one global permit more than the global limit. */
    EXTRA_GLOBAL_PERMIT("global hard limit"),
    /** Each shared limit has one permit more than its limit. */
    EXTRA_SHARED_PERMIT("shared hard limit"),
    /** The kernel is not told what tasks cost. */
    LOST_COSTS("truthful permits", false),
    /** The model assumes a smaller queue threshold than the kernel. */
    IGNORED_QUEUE_THRESHOLD("thresholds"),
    /** A cancel does not reach the task. */
    LOST_CANCEL("queue of"),
    /** Two tasks are submitted in the wrong order. */
    SWAPPED_SUBMITS("submission order"),
    /** The runner loses a task. */
    LOST_START("every task completes"),
    /** A listener is notified of an outcome twice. */
    DOUBLE_NOTIFICATION("exactly once"),
    /** The timer never fires. */
    DEAD_TIMER("idle costs nothing"),
    /** A task that has left its thread never releases its permit. */
    LEAKED_PERMIT("terminates"),
    /** A wait that ends while its permit is lent does not take another one. */
    UNPAID_WAIT("truthful permits", false),
    /** The kernel is not told the priorities. */
    LOST_PRIORITIES("priority order", false),
    /** The kernel is not told the time limits. */
    LOST_TIMEOUTS("time limits", false),
    /** A task keeps its permit during the retry delay although it should not. */
    KEPT_PERMIT("truthful permits", false),
    /** The kernel is told of one leased permit more than there are. */
    LEASE_EXCEEDED("hard limit"),
    /** The kernel is not told that it may use more leased permits. */
    LEASE_NOT_APPLIED("leased bound"),
    /** The kernel is told that every lease is valid. */
    LEASE_END_IGNORED("valid lease"),
    /** The kernel is not told that a lease is valid again. */
    LOST_RENEWAL("work conserving"),
    /** A hint of the kernel does not reach the owner of leases. */
    LOST_WISH("no wish is lost"),
    /** The kernel is told of one leased permit of a shared limit more than there are. */
    SHARED_LEASE_EXCEEDED("shared hard limit"),
    /** The kernel is not told that it may use more leased permits of a shared limit. */
    SHARED_LEASE_NOT_APPLIED("work conserving"),
    /** The kernel is told that every lease on permits of a shared limit is valid. */
    SHARED_LEASE_END_IGNORED("valid lease"),
    /** A hint about a shared limit does not reach the owner of leases. */
    LOST_SHARED_WISH("no wish is lost: of");

    /** The beginning of the violation that must be reported. */
    final String violation;

    /** Whether there must be shared limits. */
    final boolean needsSharedLimits;

    /** Whether the simulation uses only tasks without options, which could hide the violation. */
    final boolean needsPlainTasks;

    /** Whether it concerns leases of shared limits, so that the simulation must have some. */
    boolean needsLeasedShares() {
        return compareTo(SHARED_LEASE_EXCEEDED) >= 0;
    }

    /** Whether it concerns leases, so that the simulation must have some. */
    boolean needsLeases() {
        return compareTo(LEASE_EXCEEDED) >= 0;
    }

    InjectedFault(String violation) {
        this(violation, true);
    }

    InjectedFault(String violation, boolean needsPlainTasks) {
        this.violation = violation;
        this.needsPlainTasks = needsPlainTasks && !violation.isEmpty();
        this.needsSharedLimits = violation.startsWith("shared");
    }
}
