package io.github.kobe.redis;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Log lines about the connection of a node. A fault that lasts does not flood the log: a line of each kind every ten seconds. Thread-safe. */
final class Notices {

    /** What a line is about. */
    enum Kind {
        UNREACHABLE,
        LOST,
        BACK,
        CALL_FAILED,
        PUSH,
        EVICTION
    }

    private static final System.Logger LOG = System.getLogger("io.github.kobe.redis");
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private record Last(long nanos, int suppressed) {}

    private final String fleet;
    private final Map<Kind, Last> last = new EnumMap<>(Kind.class); // under the monitor of this object

    Notices(String fleet) {
        this.fleet = fleet;
    }

    /** Writes a line, unless one of the same kind was written just now. */
    void say(System.Logger.Level level, Kind kind, String text) {
        int suppressed = permit(kind, System.nanoTime());
        if (suppressed >= 0) {
            String more = suppressed == 0 ? "" : " (" + suppressed + " more like this since the last one)";
            LOG.log(level, "fleet " + fleet + ": " + text + more);
        }
    }

    /** Returns how many lines were not written since the last one, or -1 if this one is not to be written. */
    private synchronized int permit(Kind kind, long now) {
        Last before = last.get(kind);
        if (before != null && now - before.nanos() < PAUSE_NANOS) {
            last.put(kind, new Last(before.nanos(), before.suppressed() + 1));
            return -1;
        }
        last.put(kind, new Last(now, 0));
        return before == null ? 0 : before.suppressed();
    }
}
