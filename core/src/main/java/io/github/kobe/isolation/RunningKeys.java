package io.github.kobe.isolation;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys with running tasks, so that the age of these tasks can be checked while none completes.
 *
 * <p>A key is added when a task starts. It is not removed when the task completes, but by the next check that finds no running task. So
 * while the key is in the list a start costs a null check, and a completion costs nothing. Between two checks a key is added at most once, so
 * a check takes time in proportion to the keys that started tasks since the last one, and to those that have running tasks. Not thread-safe.
 */
final class RunningKeys {

    /** The next of the last key: a key whose next is {@code null} is in no list. */
    private static final KeyState END = new KeyState();

    private KeyState added = END;
    private KeyState unchecked = END;

    /** Adds a key of which a task starts. */
    void add(KeyState key) {
        if (key.nextRunning == null) {
            key.nextRunning = added;
            added = key;
        }
    }

    @SuppressWarnings("ReferenceEquality") // the end is one object
    boolean isEmpty() {
        return added == END && unchecked == END;
    }

    /** The next calls of {@link #check} go over the keys that were added so far. */
    @SuppressWarnings("ReferenceEquality")
    void beginCheck() {
        if (unchecked == END) {
            unchecked = added;
            added = END;
        }
    }

    /**
     * Passes the next keys that have running tasks to {@code action}, and removes those that have none.
     *
     * @param most how many keys are looked at
     * @return whether there are more
     */
    @SuppressWarnings("ReferenceEquality")
    boolean check(int most, Consumer<KeyState> action) {
        for (int i = 0; i < most && unchecked != END; i++) {
            KeyState key = unchecked;
            unchecked = next(key);
            key.nextRunning = null;
            if (key.running > 0) {
                add(key);
                action.accept(key);
            }
        }
        return unchecked != END;
    }

    private static KeyState next(KeyState key) {
        @Nullable KeyState next = key.nextRunning;
        return next == null ? END : next;
    }
}
