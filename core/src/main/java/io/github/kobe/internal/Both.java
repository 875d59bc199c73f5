package io.github.kobe.internal;

/** Two pieces of users' code, neither of which may keep the other from being run. */
public final class Both {

    private Both() {}

    /** Runs both, then throws what the first threw, with what the second threw suppressed in it; or what the second threw. */
    @SuppressWarnings("ReferenceEquality") // both may throw one shared object, which cannot be suppressed in itself
    public static void run(Runnable first, Runnable next) {
        try {
            first.run();
        } catch (Throwable fault) {
            try {
                next.run();
            } catch (Throwable second) {
                if (second != fault) {
                    fault.addSuppressed(second);
                }
            }
            throw fault;
        }
        next.run();
    }
}
