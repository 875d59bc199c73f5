package io.github.kobe.internal.util;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What users get of an end, to hang code on; to cancel it is to cancel what it is the end of.
 *
 * @param <T> what it is completed with
 */
public final class CancellingFuture<T> extends CompletableFuture<T> {

    private final Consumer<Boolean> canceller;

    /** @param canceller told whether to interrupt */
    public CancellingFuture(Consumer<Boolean> canceller) {
        this.canceller = canceller;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled =
                super.cancel(mayInterruptIfRunning); // first, or the end of what it cancels would be quicker
        if (cancelled) {
            canceller.accept(mayInterruptIfRunning);
        }
        return cancelled;
    }
}
