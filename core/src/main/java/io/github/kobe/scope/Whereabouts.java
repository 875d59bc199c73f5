package io.github.kobe.scope;

import io.github.kobe.internal.Enclosure;
import org.jspecify.annotations.Nullable;

/**
 * In which scope the calling thread is: the {@link ScopeTask} that it runs, or the {@link ScopeLife} that it opened last and has
 * not closed. From there the way leads outwards, by {@link ScopeLife#openedIn}.
 */
final class Whereabouts {

    private static final Local<Object> HERE = new Local<>();

    private Whereabouts() {}

    /** The thread, which was not made for it, runs {@code task} from now on. For {@link #leave}. */
    static @Nullable Object enter(ScopeTask<?> task) {
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
        return here == null ? Enclosure.ticketHere() : here;
    }

    /** What a scope that is opened now is opened in: a task, or a scope that is not closed; {@code null} if it is in none. */
    static @Nullable Object here() {
        Object here = place();
        while (here instanceof ScopeLife scope && scope.isClosed()) {
            here = scope.openedIn();
        }
        return here;
    }

    /** The thread has opened {@code scope}. */
    static void opened(ScopeLife scope) {
        HERE.set(scope);
    }

    /** The thread has closed {@code scope}, which another one may have opened. */
    static void closed(ScopeLife scope) {
        if (HERE.get() == scope) {
            HERE.restore(here());
        }
    }

    /** The scope of {@code place}. */
    static @Nullable ScopeLife scopeOf(@Nullable Object place) {
        return place instanceof ScopeTask<?> task ? task.crew().scope() : (ScopeLife) place;
    }

    /** Whether the calling thread runs a task of {@code scope}, or one of a scope that was opened in such a task, and so on. */
    static boolean isInTaskOf(ScopeLife scope) {
        Object place = place();
        while (place != null) {
            ScopeLife around = scopeOf(place);
            if (around == null) {
                return false;
            }
            if (around == scope && place instanceof ScopeTask<?>) {
                return true;
            }
            place = around.openedIn();
        }
        return false;
    }
}
