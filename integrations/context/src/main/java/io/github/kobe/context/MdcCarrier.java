package io.github.kobe.context;

import io.github.kobe.ContextCarrier;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Carries the {@link MDC} of SLF4J: log lines of a task have the values that the submitting thread had, such as the id of the request. A task
 * sees exactly these values, whatever its thread had before. What the task itself puts into the MDC is removed after it.
 *
 * <p>Needs SLF4J alone. {@link ContextSnapshotCarrier} carries the MDC together with other contexts. Immutable.
 */
public final class MdcCarrier implements ContextCarrier {

    private static final MdcCarrier SHARED = new MdcCarrier();
    private static final Captured EMPTY = new CapturedMdc(Map.of());

    private MdcCarrier() {}

    /** Returns the carrier. There is only one. */
    public static MdcCarrier create() {
        return SHARED;
    }

    /** Captures the MDC of the calling thread; {@code null} if it is empty. */
    @Override
    public @Nullable Captured capture() {
        Map<String, String> values = MdcSnapshot.ofCurrentThread();
        return values == null || values.isEmpty() ? null : new CapturedMdc(values);
    }

    /** An empty MDC. */
    @Override
    public Captured empty() {
        return EMPTY;
    }

    @Override
    public String toString() {
        return "MdcCarrier";
    }

    /** The values are never changed: the MDC makes a copy. */
    private record CapturedMdc(Map<String, String> values) implements Captured {

        @Override
        public Installed install() {
            Map<String, String> before = MdcSnapshot.ofCurrentThread();
            if (before == null || before.isEmpty()) {
                values.forEach(MDC::put); // a copy would go through the wrappers of an unmodifiable map
                return MDC::clear;
            }
            set(values);
            return () -> set(before);
        }

        private static void set(@Nullable Map<String, String> values) {
            if (values == null || values.isEmpty()) {
                MDC.clear();
            } else {
                MDC.setContextMap(values);
            }
        }
    }
}
