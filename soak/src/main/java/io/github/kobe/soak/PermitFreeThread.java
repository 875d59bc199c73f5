package io.github.kobe.soak;

import java.util.concurrent.Callable;

/**
 * Marks threads on which a task may run without a permit: the thread of a submitter under {@code CALLER_RUNS}, or of a rejection
 * handler. Such a task does not count against any limit.
 */
final class PermitFreeThread {

    private static final ThreadLocal<Boolean> MARKED = new ThreadLocal<>();

    private PermitFreeThread() {}

    /** Returns whether the current thread is marked. */
    static boolean isCurrent() {
        return MARKED.get() != null;
    }

    /** Runs {@code call} while the current thread is marked. */
    static <T> T call(Callable<T> call) throws Exception {
        boolean nested = isCurrent();
        MARKED.set(true);
        try {
            return call.call();
        } finally {
            if (!nested) {
                MARKED.remove();
            }
        }
    }
}
