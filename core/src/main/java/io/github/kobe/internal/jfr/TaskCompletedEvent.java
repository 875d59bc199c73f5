package io.github.kobe.internal.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** A task has completed. There may be millions of them in a second, so by default only slow ones are recorded. */
@Name("io.github.kobe.TaskCompleted")
@Label("Task Completed")
@Category("Group Concurrency")
@Description("A task has completed: it succeeded, failed or was cancelled. Rejected tasks have an event of their own")
@StackTrace(false)
@SuppressWarnings({"UnusedVariable", "UnusedMethod"}) // the recorder reads the fields and calls the setting
final class TaskCompletedEvent extends Event {

    /** Asks whether the event is on, without creating one. */
    private static final TaskCompletedEvent PROBE = new TaskCompletedEvent();

    @Label("Executor")
    @Description("The name of the executor")
    private @Nullable String executor;

    @Label("Group")
    @Description("The key of the task's group")
    private @Nullable String group;

    @Label("Task Id")
    private @Nullable String taskId;

    @Label("Tag")
    private @Nullable String tag;

    @Label("Outcome")
    @Description("SUCCESS, FAILED, TIMED_OUT or CANCELLED")
    private @Nullable String outcome;

    @Label("Error Class")
    @Description("The class of the exception that it failed with")
    private @Nullable Class<?> errorClass;

    @Label("Queued")
    @Description("How long it was queued before its first start")
    @Timespan(Timespan.NANOSECONDS)
    private long queuedDuration;

    @Label("Run")
    @Description("How long it took from its first start to its outcome, including delays before retries")
    @Timespan(Timespan.NANOSECONDS)
    private long runDuration;

    @Label("Attempts")
    private int attempts;

    @SettingDefinition
    @Name("slowerThan")
    @Label("Slower Than")
    @Description("Record tasks whose time in the queue and run together take at least this long")
    @Timespan
    private boolean slowerThan(SlowerThan setting) {
        return setting.accepts(queuedDuration + runDuration);
    }

    static boolean isOn() {
        return PROBE.isEnabled();
    }

    static void write(
            String executor,
            String group,
            String taskId,
            String tag,
            String outcome,
            @Nullable Class<?> errorClass,
            long queuedNanos,
            long runNanos,
            int attempts) {
        TaskCompletedEvent event = new TaskCompletedEvent();
        event.executor = executor;
        event.group = group;
        event.taskId = taskId;
        event.tag = tag;
        event.outcome = outcome;
        event.errorClass = errorClass;
        event.queuedDuration = queuedNanos;
        event.runDuration = runNanos;
        event.attempts = attempts;
        event.commit();
    }
}
