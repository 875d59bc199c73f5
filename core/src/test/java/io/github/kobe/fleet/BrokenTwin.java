package io.github.kobe.fleet;

/** Ways to break the protocol. Each breaks one rule of {@code docs/design/fleet.md}, and shows that a check of the simulation can fail. */
enum BrokenTwin {
    /** Nothing is broken. */
    NONE(""),
    /** The lease is counted from the time of the answer. */
    LEASE_FROM_THE_ANSWER("lease"),
    /** The lease is renewed by answers to calls that do not renew the session. */
    LEASE_WITHOUT_SESSION("lease"),
    /** The lease lasts for a whole TTL. */
    NO_MARGIN("lease"),
    /** A push is used although a later claim on its group was sent. */
    PUSH_FOR_AN_OLD_CLAIM("bound"),
    /** Nodes say how many permits they return, and not how many they keep. */
    COUNTERS("bound"),
    /** The store executes calls that are late. */
    SEQUENCE_NUMBER_IGNORED("bound"),
    /** The store grants permits right after it has lost its data. */
    NO_LEARNING("limit"),
    /** The clock of the store counts the time in which it stood still. */
    NO_GRACE("lease"),
    /** The bound of a group is lowered after the claim was sent. */
    LOWERED_AFTER_SENDING("bound"),
    /** Permits that a push has brought before the first answer are not taken away before it. */
    PUSH_BEFORE_THE_FIRST_ANSWER("bound"),
    /** The executor does not ask whether the lease is valid. */
    LEASE_NOT_CHECKED("start"),
    /** Nodes do not state permits in use that they do not hold. */
    DEBT_HIDDEN("bound"),
    /** Pushes are lost, and answers do not say how many there were. */
    LOST_PUSHES_UNNOTICED("meeting"),
    /** Nobody takes the permits of lost nodes back. */
    NO_REAPING("progress");

    /** The beginning of the violation that this must cause. */
    final String violation;

    BrokenTwin(String violation) {
        this.violation = violation;
    }
}
