package io.github.kobe.internal.util;

/** Helpers for two pieces of user code that must both run even if one throws. */
public final class Throwables {

    private Throwables() {}

    /**
     * Runs both. If the first throws, throws that exception, and adds what the second throws to it as suppressed. If only the second throws,
     * throws that.
     */
    public static void runBoth(Runnable first, Runnable next) {
        try {
            first.run();
        } catch (Throwable fault) {
            try {
                next.run();
            } catch (Throwable nextFault) {
                suppress(nextFault, fault);
            }
            throw fault;
        }
        next.run();
    }

    /** Adds {@code fault} to {@code main} as suppressed, unless both are one object: an exception cannot suppress itself. */
    @SuppressWarnings("ReferenceEquality")
    public static void suppress(Throwable fault, Throwable main) {
        if (fault != main) {
            main.addSuppressed(fault);
        }
    }
}
