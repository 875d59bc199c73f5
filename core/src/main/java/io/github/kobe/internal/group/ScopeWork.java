package io.github.kobe.internal.group;

import io.github.kobe.ContextCarrier.Captured;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * An attempt of a task of a scope, which runs in a group. It brings the context of the scope's task along, because the thread that submits it
 * may be another one than the submitter of the task. The engine captures nothing for it, and does not install the context for its attempts,
 * because the work does so itself. Callbacks of the task run inside the context.
 */
public interface ScopeWork<T extends @Nullable Object> extends Callable<T> {

    /** The id of the scope. */
    String scopeId();

    /** The context of the work; {@code null} if there is none. */
    @Nullable
    Captured context();
}
