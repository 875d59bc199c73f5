package io.github.kobe;

import io.github.kobe.internal.group.CapturedWrapper;
import io.github.kobe.internal.group.CarrierPair;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries a thread-bound context, such as that of a logging or a tracing library, from the thread that submits a task to the threads that
 * run it. Set by {@link GroupPolicy.Builder#contextCarrier}, {@link io.github.kobe.pool.WorkerPoolBuilder#contextCarrier},
 * {@link io.github.kobe.isolation.IsolationPolicy.Builder#contextCarrier} and
 * {@link io.github.kobe.scope.ThreadScope#withContextCarrier}.
 *
 * <p>The context is captured once, when the task is submitted, on the submitting thread. Each attempt runs inside it. So do the callbacks
 * of the task: listeners and {@linkplain io.github.kobe.scope.ThreadHook hooks}, the functions of its {@link TaskOptions} and of its
 * {@link RetryPolicy}, the {@link RejectionHandler}, and the {@link io.github.kobe.isolation.Fallback}. After each of them the thread has the
 * context that it had before. An executor installs nothing on the submitting thread itself: under {@link RejectionPolicy#CALLER_RUNS}, in
 * {@link TaskLifecycleListener#onSubmitted(TaskIdentity) onSubmitted}, and if the submission is rejected, that thread has the right context.
 * Code that depends on a {@link java.util.concurrent.CompletableFuture} is no callback, and runs in the context of its thread.
 *
 * <p>If a carrier throws, that is counted and reported through {@link System.Logger}, and the task runs without that context. Many threads
 * call a carrier at once.
 *
 * <p>There are two forms. A carrier of thread-locals installs a context and restores the one before:
 *
 * <pre>{@code
 * ThreadLocal<String> request = new ThreadLocal<>();
 * ContextCarrier carrier = () -> {
 *     String captured = request.get();
 *     return captured == null ? null : () -> {
 *         String before = request.get();
 *         request.set(captured);
 *         return () -> request.set(before);
 *     };
 * };
 * }</pre>
 *
 * <p>A context that exists only during a call, such as a {@code ScopedValue}, {@linkplain #wrapping wraps the call}.
 */
@FunctionalInterface
public interface ContextCarrier {

    /** Captures the context of the calling thread, which submits a task or creates a schedule; {@code null} if there is nothing to carry. */
    @Nullable
    Captured capture();

    /**
     * As {@link #capture()}, for a task of an executor. Called after {@link TaskLifecycleListener#onSubmitted(TaskIdentity) onSubmitted}, with
     * the object that the listener gets. So a carrier can carry what a listener made for the task, such as a span. A scope calls
     * {@link #capture()}, also for its tasks in groups. The default implementation calls {@link #capture()}.
     */
    default @Nullable Captured capture(TaskIdentity task) {
        return capture();
    }

    /**
     * The context of a thread on which nothing is set. It is installed for a task that carries nothing, if the task runs on a thread that
     * other tasks used before, such as a worker of a pool. So what the task sets is removed before the next task. By default {@code null}:
     * then nothing is installed.
     */
    default @Nullable Captured empty() {
        return null;
    }

    /** A captured context. It may be installed more than once, also by several threads at once: for attempts, callbacks, runs of a schedule. */
    @FunctionalInterface
    interface Captured {
        /**
         * Installs it on the calling thread.
         *
         * @throws UnsupportedOperationException if it can only {@linkplain ContextCarrier#wrapping wrap a call}
         */
        Installed install();

        /**
         * Runs {@code work} inside it, on the calling thread. By default installs it, runs {@code work}, and restores. Executors and scopes
         * call this method, which serves both forms of carriers.
         */
        default void run(Runnable work) {
            Installed installed = install();
            try {
                work.run();
            } finally {
                installed.restore();
            }
        }
    }

    /** Undoes an installation. */
    @FunctionalInterface
    interface Installed {
        /** Restores the context that the thread had before; called on the same thread, after the task. */
        void restore();
    }

    /** Runs code inside a captured context. */
    @FunctionalInterface
    interface Wrapper {
        /** Runs {@code work} once, on the calling thread, and returns after it. What the task throws does not come this way. */
        void run(Runnable work);
    }

    /**
     * A carrier of a context that exists only during a call. For a {@code ScopedValue} named {@code USER}:
     * {@code ContextCarrier.wrapping(() -> USER.isBound() ? ScopedValue.where(USER, USER.get())::run : null)}.
     *
     * <p>If a wrapper does not run the code, the code runs without the context, and that is reported.
     *
     * @param capture captures the context of the calling thread; returns {@code null} if there is nothing to carry
     */
    static ContextCarrier wrapping(Supplier<@Nullable Wrapper> capture) {
        Objects.requireNonNull(capture, "capture");
        return () -> {
            Wrapper captured = capture.get();
            return captured == null ? null : new CapturedWrapper(captured);
        };
    }

    /**
     * A carrier of both contexts. This one is the outer: it is installed first and restored last. If one carrier throws, the other context is
     * still carried.
     */
    default ContextCarrier andThen(ContextCarrier next) {
        return new CarrierPair(this, Objects.requireNonNull(next, "next"));
    }
}
