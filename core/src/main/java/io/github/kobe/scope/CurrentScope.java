package io.github.kobe.scope;

import io.github.kobe.internal.kernel.StandaloneGroup;
import org.jspecify.annotations.Nullable;

/**
 * The scope of the calling thread: the {@link ScopeTaskImpl} that it runs, or the {@link ScopeState} that it opened last and has not
 * closed. {@link ScopeState#openedIn} leads from there to the enclosing ones.
 */
final class CurrentScope {

    private static final ThreadLocal<@Nullable Object> CURRENT = new ThreadLocal<>();

    private CurrentScope() {}

    /** The thread, which was not made for {@code task}, runs it from now on. Returns the argument for {@link #leave}. */
    static @Nullable Object enter(ScopeTaskImpl<?> task) {
        Object before = CURRENT.get();
        CURRENT.set(task);
        return before;
    }

    static void leave(@Nullable Object before) {
        if (before == null) {
            CURRENT.remove(); // leaves no entry in the map of a thread that is not ours
        } else {
            CURRENT.set(before);
        }
    }

    /** A task on a thread that was made for it is found without a thread-local, which each task would pay for. */
    private static @Nullable Object taskOrScope() {
        Object current = CURRENT.get();
        return current == null && StandaloneGroup.currentTask() instanceof ScopeTaskImpl<?> task ? task : current;
    }

    /**
     * What encloses a scope that is opened now: a task, or a scope that is not closed and whose deadline has not passed; {@code null} if there is
     * none. A scope past its deadline can have no further tasks. Most likely its opener forgot to close it, and the thread, which may be one of a
     * pool, has long gone on to other work.
     */
    static @Nullable Object enclosing() {
        Object current = taskOrScope();
        while (current instanceof ScopeState scope && !scope.encloses()) {
            current = scope.openedIn();
        }
        return current;
    }

    /** The thread has opened {@code scope}. */
    static void opened(ScopeState scope) {
        CURRENT.set(scope);
    }

    /** The thread has closed {@code scope}, which another thread may have opened. */
    static void closed(ScopeState scope) {
        if (CURRENT.get() == scope) {
            Object next = scope;
            while (next instanceof ScopeState state && state.isClosed()) {
                next = state.openedIn();
            }
            leave(next);
        }
    }

    static @Nullable ScopeState scopeOf(@Nullable Object taskOrScope) {
        return taskOrScope instanceof ScopeTaskImpl<?> task ? task.tasks().scope() : (ScopeState) taskOrScope;
    }

    /** Whether the calling thread runs a task of {@code scope}, or one of a scope that was opened in such a task, at any depth. */
    static boolean isInTaskOf(ScopeState scope) {
        Object current = taskOrScope();
        while (current != null) {
            ScopeState itsScope = scopeOf(current);
            if (itsScope == null) {
                return false;
            }
            if (itsScope == scope && current instanceof ScopeTaskImpl<?>) {
                return true;
            }
            current = itsScope.openedIn();
        }
        return false;
    }
}
