package io.github.kobe.scope;

/**
 * Why a scope is cancelled.
 *
 * @param cause what did it
 * @param why in words
 */
record CancellationReason(Cause cause, String why) {

    /** What cancels a scope. */
    enum Cause {
        TOKEN,
        DEADLINE,
        CLOSE
    }

    boolean isBy(Cause which) {
        return cause == which;
    }

    /** The same, for a scope that was opened in {@code outer}. A scope whose surroundings are closed is cancelled, but not closed. */
    CancellationReason inheritedFrom(ScopeState outer) {
        return new CancellationReason(
                cause == Cause.CLOSE ? Cause.TOKEN : cause, why + " (" + outer.id() + ", around it)");
    }
}
