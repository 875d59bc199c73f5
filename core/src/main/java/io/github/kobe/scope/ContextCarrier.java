package io.github.kobe.scope;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Carries something that is kept by thread, such as a logging or a tracing context, from the thread that submits a task to the one
 * that runs it. {@link Context} is carried always; others are given to {@link ThreadScope#withContextCarrier}.
 *
 * <p>What it throws is reported through {@link System.Logger}; the task runs all the same, without what it was to carry.
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

    /** Takes what there is on the calling thread, which submits a task or makes a schedule; {@code null} if there is nothing to carry. */
    @Nullable
    Captured capture();

    /** What was taken. It may be installed more than once: for each attempt, or each run of a schedule. */
    @FunctionalInterface
    interface Captured {
        /** Puts it in place on the calling thread, which is about to run the task; returns how to undo that. */
        Installed install();
    }

    /** Undoes an installation. */
    @FunctionalInterface
    interface Installed {
        /** Puts back in place what was there before, on the same thread, after the task. */
        void restore();
    }

    /** A carrier of both; what is installed last is undone first. */
    default ContextCarrier andThen(ContextCarrier next) {
        return new CarrierPair(this, Objects.requireNonNull(next, "next"));
    }
}
