package io.github.kobe.scope;

/** The tree of a scope when a task of it failed. It is suppressed in the failure, because the failure is an object of the user. */
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
