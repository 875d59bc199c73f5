package io.github.kobe.scope;

import io.github.kobe.internal.util.Throwables;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Carries a thread-bound context, such as that of a logging or a tracing library, from the thread that submits a task to the thread that
 * runs it. {@link Context} is always carried; other carriers are given to {@link ThreadScope#withContextCarrier}.
 *
 * <p>If a carrier throws, that is reported through {@link System.Logger}, and the task runs without that context.
 *
 * <pre>{@code
 * ThreadLocal<String> request = new ThreadLocal<>();
 * ContextCarrier carrier = () -> {
 *     String captured = request.get();
 *     return () -> {
 *         String before = request.get();
 *         request.set(captured);
 *         return () -> request.set(before);
 *     };
 * };
 * }</pre>
 */
@FunctionalInterface
public interface ContextCarrier {

    /** Captures the context of the calling thread, which submits a task or creates a schedule; {@code null} if there is nothing to carry. */
    @Nullable
    Captured capture();

    /** A captured context. It may be installed more than once: for each attempt, or each run of a schedule. */
    @FunctionalInterface
    interface Captured {
        /** Installs it on the calling thread, which is about to run the task. */
        Installed install();
    }

    /** Undoes an installation. */
    @FunctionalInterface
    interface Installed {
        /** Restores the context that the thread had before; called on the same thread, after the task. */
        void restore();
    }

    /** A carrier of both contexts. They are restored in reverse order. If one carrier throws, the other context is still carried. */
    default ContextCarrier andThen(ContextCarrier next) {
        Objects.requireNonNull(next, "next");
        return () -> {
            Captured one = captureSafely(this);
            Captured other = captureSafely(next);
            if (one == null || other == null) {
                return one == null ? other : one;
            }
            return () -> installBoth(one, other);
        };
    }

    private static @Nullable Captured captureSafely(ContextCarrier carrier) {
        try {
            return carrier.capture();
        } catch (Throwable fault) {
            ScopeTasks.FAULTS.report("context carrier's capture", carrier, fault);
            return null;
        }
    }

    private static Installed installBoth(Captured one, Captured other) {
        Installed outer = installSafely(one);
        Installed inner = installSafely(other);
        return () -> Throwables.runBoth(inner::restore, outer::restore);
    }

    private static Installed installSafely(Captured captured) {
        try {
            return captured.install();
        } catch (Throwable fault) {
            ScopeTasks.FAULTS.report("context carrier's install", captured, fault);
            return () -> {};
        }
    }
}
