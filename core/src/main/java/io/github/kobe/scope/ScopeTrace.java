package io.github.kobe.scope;

/** What a scope looked like when a task of it failed; suppressed in that failure, since the failure itself is the user's own. */
final class ScopeTrace extends RuntimeException {

    private static final long serialVersionUID = 1;

    private ScopeTrace(String tree) {
        super(tree, null, false, false);
    }

    /** Adds it unless there is one. */
    static void addTo(Throwable failure, String tree) {
        for (Throwable known : failure.getSuppressed()) {
            if (known instanceof ScopeTrace) {
                return;
            }
        }
        failure.addSuppressed(new ScopeTrace(tree));
    }
}
