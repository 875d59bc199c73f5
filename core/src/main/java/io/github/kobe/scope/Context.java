package io.github.kobe.scope;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What belongs to the work of the calling thread, such as the request that it serves, by name. A scope's tasks find what the thread
 * that submitted them had at that moment; what they change is theirs alone.
 */
public final class Context {

    /** Its maps are never changed, so that to capture one is to keep it. */
    private static final ThreadLocal<Map<String, Object>> CURRENT = new ThreadLocal<>();

    /** Most programs never do; then no thread is asked for its map, which would have to make one. Only ever becomes true. */
    private static volatile boolean used;

    private Context() {}

    /** Keeps {@code value} under {@code key}; {@code null} is the same as {@link #remove}. */
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

    /** What is kept under {@code key}; {@code null} if nothing is. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the caller knows what was put there
    public static <T> @Nullable T get(String key) {
        Objects.requireNonNull(key, "key");
        return (T) snapshot().get(key);
    }

    /** Forgets what is kept under {@code key}. */
    public static void remove(String key) {
        Objects.requireNonNull(key, "key");
        if (snapshot().containsKey(key)) {
            Map<String, Object> changed = new HashMap<>(snapshot());
            changed.remove(key);
            install(Map.copyOf(changed));
        }
    }

    /** Forgets all. */
    public static void clear() {
        if (used) {
            CURRENT.remove();
        }
    }

    /** All that is kept now. Immutable. */
    public static Map<String, Object> snapshot() {
        Map<String, Object> now = used ? CURRENT.get() : null;
        return now == null ? Map.of() : now;
    }

    /** Leaves the calling thread, which served others before, with nothing. What it had, for {@link #install}. */
    static Map<String, Object> setAside() {
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

    /** How a scope carries it from the submitting thread to the task's. */
    static ContextCarrier carrier() {
        return () -> {
            Map<String, Object> captured = snapshot();
            return captured.isEmpty() ? null : () -> during(captured);
        };
    }

    private static ContextCarrier.Installed during(Map<String, Object> captured) {
        Map<String, Object> before = snapshot();
        install(captured);
        return () -> install(before);
    }
}
