package io.github.kobe.scope;

/** Ways to break what surrounds scopes; each shows that one check of the simulation can fail. */
enum ScopeSabotage {
    /** Nothing is broken. */
    NONE(""),
    /** The runner loses a task now and then. */
    LOST_START("closes"),
    /** The hook is told of an end twice. */
    DOUBLE_HOOK("told once"),
    /** The hook is not told of some ends. */
    LOST_HOOK("told once"),
    /** What is taken out of the timer stays there. */
    LEAKY_TIMER("no timer entry"),
    /** The scope is allowed one more than was asked for. */
    GENEROUS_LIMIT("limit"),
    /** Another submitter gives the group a task that never completes. */
    STUCK_GROUP("places of groups"),
    /** An end is seen that was not there before. */
    CHANGED_END("one end"),
    /** Work begins behind the scope's back, after its end. */
    LATE_WORK("nothing runs");

    /** How the complaint begins that has to come. */
    final String complaint;

    ScopeSabotage(String complaint) {
        this.complaint = complaint;
    }
}
