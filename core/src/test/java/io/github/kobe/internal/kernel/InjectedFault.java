package io.github.kobe.internal.kernel;

/** Ways to break what surrounds the kernel so that it breaks a promise; each shows that one check of the simulation can fail. */
enum InjectedFault {
    /** Nothing is broken. */
    NONE(""),
    /** The ready queue forgets a group now and then. */
    FORGETFUL_READY_QUEUE("work conserving"),
    /** The group that came last is served first. */
    LAST_COME_FIRST_SERVED("round robin"),
    /** A place is given back twice. */
    DOUBLE_RELEASE("truthful permits"),
    /** A cancelled task that still runs gives its place back. */
    RELEASE_AT_CANCEL("truthful permits"),
    /** The group is allowed one more than was asked for. */
    GENEROUS_LIMIT("hard limit"),
    /** All groups together are allowed one more than was asked for. */
    GENEROUS_GLOBAL_CAP("hard limit over all"),
    /** More may wait than the model knows of. */
    LENIENT_THRESHOLD("thresholds"),
    /** A cancel never reaches the ticket. */
    FORGOTTEN_CANCEL("queue of"),
    /** Two tickets are handed over in the wrong order. */
    SWAPPED_SUBMITS("submission order"),
    /** The runner loses a ticket. */
    LOST_START("every ticket ends"),
    /** An end is told twice. */
    DOUBLE_END("exactly once"),
    /** The timer never rings. */
    DEAD_TIMER("idle costs nothing"),
    /** A task that has left its thread is never taken off the books. */
    STUCK_PLACE("terminates"),
    /** The kernel does not hear of priorities. */
    FLAT_PRIORITIES("priority order", false),
    /** The kernel does not hear of budgets. */
    LOST_TIMEOUTS("in time", false),
    /** A task keeps its place between two attempts without having been told to. */
    SECRET_KEEPER("truthful permits", false);

    /** A word of the complaint that has to come. */
    final String complaint;

    /** Whether the simulation leaves out all that would get in the way of the complaint. */
    final boolean needsPlainTickets;

    InjectedFault(String complaint) {
        this(complaint, true);
    }

    InjectedFault(String complaint, boolean needsPlainTickets) {
        this.complaint = complaint;
        this.needsPlainTickets = needsPlainTickets && !complaint.isEmpty();
    }
}
