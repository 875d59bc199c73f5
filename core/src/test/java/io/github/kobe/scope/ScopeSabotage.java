package io.github.kobe.scope;

/** Ways to break what surrounds scopes; each shows that one check of the simulation can fail. */
enum ScopeSabotage {
    /** Nothing is broken. */
    NONE(""),
    /** The runner loses a task now and then. */
    LOST_START("closes"),
    /** The hook is notified of a completion twice. */
    DOUBLE_HOOK("notified once"),
    /** The hook is not notified of some completions. */
    LOST_HOOK("notified once"),
    /** A cancelled timer entry stays in the timer. */
    LEAKY_TIMER("no timer entry"),
    /** The scope is allowed one more than was asked for. */
    GENEROUS_LIMIT("limit"),
    /** Another submitter gives the group a task that never completes. */
    STUCK_GROUP("permits of groups"),
    /** The outcome of a task changes. */
    CHANGED_OUTCOME("one outcome"),
    /** A task starts after its scope has closed. */
    LATE_WORK("nothing runs");

    /** The beginning of the complaint that this must cause. */
    final String complaint;

    ScopeSabotage(String complaint) {
        this.complaint = complaint;
    }
}
