package io.github.kobe.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A limit was changed at run time. */
@Name("io.github.kobe.LimitChanged")
@Label("Limit Changed")
@Category("Group Concurrency")
@Description("A limit or setting was changed at run time")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class LimitChangedEvent extends Event {

    private static final LimitChangedEvent PROBE = new LimitChangedEvent();

    @Label("Executor")
    @Description("The name of the executor")
    private @Nullable String executor;

    @Label("Group")
    @Description("The key of the group; empty for a limit of the executor")
    private @Nullable String group;

    @Label("Limit")
    @Description("Which limit, such as maxConcurrency or paused")
    private @Nullable String limit;

    @Label("From")
    @Description(
            "The value before; -1 if the group was not in use, and no value was set for it; 2147483647 for no limit; 0 and 1 for paused")
    private int from;

    @Label("To")
    @Description("The value now; -1 if none is set")
    private int to;

    static boolean isOn() {
        return PROBE.isEnabled();
    }

    static void write(String executor, String group, String limit, int from, int to) {
        LimitChangedEvent event = new LimitChangedEvent();
        event.executor = executor;
        event.group = group;
        event.limit = limit;
        event.from = from;
        event.to = to;
        event.commit();
    }
}
