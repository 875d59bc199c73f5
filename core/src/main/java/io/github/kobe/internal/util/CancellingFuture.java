package io.github.kobe.internal.util;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A future that users get for the outcome of a task. Cancelling the future cancels the task.
 *
 * @param <T> the type of the outcome
 */
public final class CancellingFuture<T extends @Nullable Object> extends CompletableFuture<T> {

    private final Consumer<Boolean> canceller;

    /** @param canceller cancels the task; its argument says whether to interrupt */
    public CancellingFuture(Consumer<Boolean> canceller) {
        this.canceller = canceller;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled =
                super.cancel(mayInterruptIfRunning); // first, or the outcome of the cancelled task would complete it
        if (cancelled) {
            canceller.accept(mayInterruptIfRunning);
        }
        return cancelled;
    }
}
