package io.github.kobe.soak;

import java.util.concurrent.Callable;

/** Marks threads on which tasks run outside the limits: that of a caller, or of a rejection handler. */
final class PermitFreeThread {

    private static final ThreadLocal<Boolean> HERE = new ThreadLocal<>();

    private PermitFreeThread() {}

    static boolean isHere() {
        return HERE.get() != null;
    }

    /** What runs on this thread meanwhile is outside. */
    static <T> T during(Callable<T> call) throws Exception {
        boolean nested = isHere();
        HERE.set(true);
        try {
            return call.call();
        } finally {
            if (!nested) {
                HERE.remove();
            }
        }
    }
}
