package io.github.kobe.internal.group;

import io.github.kobe.ContextCarrier.Captured;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Work that brings its context along, because the thread that submits it is not the one whose context it has. The engine captures nothing for
 * it, and does not install the context for its attempts, because the work does so itself. Callbacks of the task run inside the context.
 */
public interface ContextualWork<T extends @Nullable Object> extends Callable<T> {

    /** The context of the work; {@code null} if there is none. */
    @Nullable
    Captured context();
}
