package io.github.kobe.context;

import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Reads the MDC of a thread. SLF4J can only copy it. Logback keeps an immutable copy until a value changes, and all tasks that are submitted
 * until then share it: a capture costs a tenth, and a queued task does not have a map of its own.
 */
final class MdcSnapshot {

    private static final boolean HAS_LOGBACK = hasLogback();

    private MdcSnapshot() {}

    private static boolean hasLogback() {
        try {
            Class.forName("ch.qos.logback.classic.util.LogbackMDCAdapter", false, MdcSnapshot.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** A map that does not change; {@code null} or empty if the MDC of the calling thread has no value. */
    static @Nullable Map<String, String> ofCurrentThread() {
        return HAS_LOGBACK ? Logback.ofCurrentThread() : MDC.getCopyOfContextMap();
    }

    /** Loaded only if Logback is present. */
    private static final class Logback {

        private Logback() {}

        static @Nullable Map<String, String> ofCurrentThread() {
            return MDC.getMDCAdapter() instanceof LogbackMDCAdapter logback
                    ? logback.getPropertyMap()
                    : MDC.getCopyOfContextMap();
        }
    }
}
