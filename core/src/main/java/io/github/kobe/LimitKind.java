package io.github.kobe;

/** The limit that a task had to wait for when it was rejected. */
public enum LimitKind {
    /** The group's concurrency limit. See {@link GroupPolicy.Builder#defaultMaxConcurrencyPerGroup}. */
    GROUP_CONCURRENCY("limit"),
    /** The group's in-flight limit, which was smaller than its concurrency limit. See {@link GroupPolicy.Builder#defaultMaxInFlightPerGroup}. */
    GROUP_IN_FLIGHT("in-flight limit"),
    /**
     * The limit of all groups together: {@link GroupPolicy.Builder#globalMaxInFlight}, the workers of a pool, or the permits of an isolation
     * executor.
     */
    GLOBAL("global limit"),
    /** A limit that the group shares with other groups, see {@link GroupPolicy.Builder#sharedLimit}. {@link Rejection#sharedLimit} says which. */
    SHARED("shared limit"),
    /**
     * The group's limit, which this JVM shares with others. Fewer of its permits were held here than it allows, and all of them were in use; or the lease
     * on them was not valid, because the JVM had lost contact.
     */
    LEASE("limit"),
    /** The group was paused, or a shared limit of it: then {@link Rejection#sharedLimit} says which. */
    PAUSE("limit"),
    /** The bound on known groups. See {@link GroupPolicy.Builder#maxGroups}. */
    MAX_GROUPS("limit"),
    /** No limit: the executor or the view was shut down. */
    NONE("limit");

    private final String text;

    LimitKind(String text) {
        this.text = text;
    }

    /** Returns the name of its number in messages. */
    String text() {
        return text;
    }

    static LimitKind of(RejectionReason reason) {
        return switch (reason) {
            case GROUP_QUEUE_FULL, EXPIRED, TOO_COSTLY -> GROUP_CONCURRENCY;
            case GLOBAL_QUEUE_FULL -> GLOBAL;
            case PAUSED -> PAUSE;
            case TOO_MANY_GROUPS -> MAX_GROUPS;
            case SHUT_DOWN -> NONE;
        };
    }
}
