package io.github.kobe.internal.util;

/** Two pieces of users' code, neither of which may keep the other from being run. */
public final class Throwables {

    private Throwables() {}

    /** Runs both, then throws what the first threw, with what the second threw suppressed in it; or what the second threw. */
    public static void runBoth(Runnable first, Runnable next) {
        try {
            first.run();
        } catch (Throwable fault) {
            try {
                next.run();
            } catch (Throwable second) {
                suppress(second, fault);
            }
            throw fault;
        }
        next.run();
    }

    /** Suppresses {@code fault} in {@code main}; unless they are one object, which users' code may share and which cannot suppress itself. */
    @SuppressWarnings("ReferenceEquality")
    public static void suppress(Throwable fault, Throwable main) {
        if (fault != main) {
            main.addSuppressed(fault);
        }
    }
}
