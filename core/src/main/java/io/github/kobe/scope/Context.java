package io.github.kobe.scope;

import io.github.kobe.ContextCarrier;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Values by name that belong to the work of the calling thread, such as the request that it serves. A task of a scope has the values that
 * the submitting thread had at that moment. What the task changes is not seen by other threads.
 */
public final class Context {

    /** The maps are immutable, so a capture is a reference. */
    private static final ThreadLocal<Map<String, Object>> CURRENT = new ThreadLocal<>();

    /** Whether any value was ever put. Until then no thread-local is read, because reading it would create an entry. Never reset. */
    private static volatile boolean used;

    /** Carries it from the submitting thread to that of the task. */
    static final ContextCarrier CARRIER = () -> {
        Map<String, Object> captured = snapshot();
        return captured.isEmpty() ? null : () -> installTemporarily(captured);
    };

    private Context() {}

    /** Sets the value of {@code key}; {@code null} is the same as {@link #remove}. */
    public static void put(String key, @Nullable Object value) {
        Objects.requireNonNull(key, "key");
        if (value == null) {
            remove(key);
            return;
        }
        Map<String, Object> changed = new HashMap<>(snapshot());
        changed.put(key, value);
        install(Map.copyOf(changed));
    }

    /** The value of {@code key}; {@code null} if there is none. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the caller knows what was put there
    public static <T> @Nullable T get(String key) {
        Objects.requireNonNull(key, "key");
        return (T) snapshot().get(key);
    }

    /** Removes the value of {@code key}. */
    public static void remove(String key) {
        Objects.requireNonNull(key, "key");
        if (snapshot().containsKey(key)) {
            Map<String, Object> changed = new HashMap<>(snapshot());
            changed.remove(key);
            install(Map.copyOf(changed));
        }
    }

    /** Removes all values. */
    public static void clear() {
        if (used) {
            CURRENT.remove();
        }
    }

    /** All current values. Immutable. */
    public static Map<String, Object> snapshot() {
        Map<String, Object> now = used ? CURRENT.get() : null;
        return now == null ? Map.of() : now;
    }

    /** Clears the context of the calling thread, which had other work before. Returns it for {@link #install}. */
    static Map<String, Object> clearForTask() {
        Map<String, Object> before = snapshot();
        clear();
        return before;
    }

    static void install(Map<String, Object> map) {
        if (map.isEmpty()) {
            clear();
        } else {
            used = true;
            CURRENT.set(map);
        }
    }

    private static ContextCarrier.Installed installTemporarily(Map<String, Object> captured) {
        Map<String, Object> before = snapshot();
        install(captured);
        return () -> install(before);
    }
}
