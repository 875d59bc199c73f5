package io.github.kobe.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A key of an isolation executor has changed its lane. */
@Name("io.github.kobe.LaneChanged")
@Label("Lane Changed")
@Category("Group Concurrency")
@Description("A key of an isolation executor became slow, or is not slow any more")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class LaneChangedEvent extends Event {

    private static final LaneChangedEvent PROBE = new LaneChangedEvent();

    @Label("Executor")
    @Description("The name of the executor")
    private @Nullable String executor;

    @Label("Key")
    private @Nullable String key;

    @Label("From")
    private @Nullable String from;

    @Label("To")
    private @Nullable String to;

    static boolean isOn() {
        return PROBE.isEnabled();
    }

    static void write(String executor, String key, String from, String to) {
        LaneChangedEvent event = new LaneChangedEvent();
        event.executor = executor;
        event.key = key;
        event.from = from;
        event.to = to;
        event.commit();
    }
}
