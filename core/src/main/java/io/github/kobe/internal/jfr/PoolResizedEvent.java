package io.github.kobe.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** A pool uses another number of workers. */
@Name("io.github.kobe.PoolResized")
@Label("Pool Resized")
@Category("Group Concurrency")
@Description(
        "A worker pool may use another number of workers: by a setting, by its sizing, or to replace a worker whose task does not return")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class PoolResizedEvent extends Event {

    private static final PoolResizedEvent PROBE = new PoolResizedEvent();

    @Label("Executor")
    @Description("The name of the pool")
    private @Nullable String executor;

    @Label("From")
    @Description("How many workers there might be before")
    private int from;

    @Label("To")
    @Description("How many workers there may be now, including those that replace zombies")
    private int to;

    @Label("Min Workers")
    private int minWorkers;

    @Label("Max Workers")
    private int maxWorkers;

    @Label("Zombies")
    @Description("How many workers are replaced because their tasks do not return")
    private int zombies;

    static boolean isOn() {
        return PROBE.isEnabled();
    }

    static void write(String executor, int from, int to, int minWorkers, int maxWorkers, int zombies) {
        PoolResizedEvent event = new PoolResizedEvent();
        event.executor = executor;
        event.from = from;
        event.to = to;
        event.minWorkers = minWorkers;
        event.maxWorkers = maxWorkers;
        event.zombies = zombies;
        event.commit();
    }
}
