package io.github.kobe.scope;

import io.github.kobe.internal.kernel.StandaloneGroup;
import org.jspecify.annotations.Nullable;

/**
 * In which scope the calling thread is: the {@link ScopeTaskImpl} that it runs, or the {@link ScopeState} that it opened last and has
 * not closed. From there the way leads outwards, by {@link ScopeState#openedIn}.
 */
final class CurrentScope {

    private static final TransientThreadLocal<Object> HERE = new TransientThreadLocal<>();

    private CurrentScope() {}

    /** The thread, which was not made for it, runs {@code task} from now on. For {@link #leave}. */
    static @Nullable Object enter(ScopeTaskImpl<?> task) {
        Object before = HERE.get();
        HERE.set(task);
        return before;
    }

    static void leave(@Nullable Object before) {
        HERE.restore(before);
    }

    /** A thread that was made for a task can be told by itself. */
    private static @Nullable Object place() {
        Object here = HERE.get();
        return here == null ? StandaloneGroup.currentTask() : here;
    }

    /** What a scope that is opened now is opened in: a task, or a scope that is not closed; {@code null} if it is in none. */
    static @Nullable Object here() {
        Object here = place();
        while (here instanceof ScopeState scope && scope.isClosed()) {
            here = scope.openedIn();
        }
        return here;
    }

    /** The thread has opened {@code scope}. */
    static void opened(ScopeState scope) {
        HERE.set(scope);
    }

    /** The thread has closed {@code scope}, which another one may have opened. */
    static void closed(ScopeState scope) {
        if (HERE.get() == scope) {
            HERE.restore(here());
        }
    }

    /** The scope of {@code place}. */
    static @Nullable ScopeState scopeOf(@Nullable Object place) {
        return place instanceof ScopeTaskImpl<?> task ? task.crew().scope() : (ScopeState) place;
    }

    /** Whether the calling thread runs a task of {@code scope}, or one of a scope that was opened in such a task, and so on. */
    static boolean isInTaskOf(ScopeState scope) {
        Object place = place();
        while (place != null) {
            ScopeState around = scopeOf(place);
            if (around == null) {
                return false;
            }
            if (around == scope && place instanceof ScopeTaskImpl<?>) {
                return true;
            }
            place = around.openedIn();
        }
        return false;
    }
}
