package io.github.kobe.internal.jfr;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * A task was rejected. Under overload that may be most of them, so at most {@link #MAX_PER_SECOND} are recorded in a second of the clock. The next
 * event says how many were not.
 */
@Name("io.github.kobe.TaskRejected")
@Label("Task Rejected")
@Category("Group Concurrency")
@Description(
        "A task or a request for a permit was rejected, with the numbers of the limit that was in the way. At most 100 in a second")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class TaskRejectedEvent extends Event {

    private static final TaskRejectedEvent PROBE = new TaskRejectedEvent();
    static final int MAX_PER_SECOND = 100;

    private static final int NUMBER_BITS = 8;

    /** The second of the last event, and how many events there were in it. */
    private static final AtomicLong SECOND_AND_NUMBER = new AtomicLong(secondNow() << NUMBER_BITS);

    private static final AtomicLong SKIPPED = new AtomicLong();

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

    @Label("Reason")
    private @Nullable String reason;

    @Label("Limited By")
    @Description("The limit that was in the way; the numbers are those of this limit")
    private @Nullable String limitedBy;

    @Label("Shared Limit")
    @Description("The name and the value of the shared limit that was in the way; empty if it was another limit")
    private @Nullable String sharedLimit;

    @Label("Active")
    @Description("Permits in use")
    private int active;

    @Label("Queued Tasks")
    private int queuedTasks;

    @Label("Limit")
    @Description("How many permits there are; 2147483647 if there is no limit")
    private int limit;

    @Label("Queue Capacity")
    @Description("How many tasks may be queued; 2147483647 if there is no limit")
    private int queueCapacity;

    @Label("Waited")
    @Description("How long the task was queued, or its submitter blocked, before")
    @Timespan(Timespan.NANOSECONDS)
    private long waited;

    @Label("Estimated Wait")
    @Description("About how long a task that is queued now would wait; 0 if that is not known")
    @Timespan(Timespan.NANOSECONDS)
    private long estimatedWait;

    @Label("Not Recorded")
    @Description("How many rejections before this one were not recorded, because there were too many in a second")
    private long notRecorded;

    static boolean isOn() {
        return PROBE.isEnabled();
    }

    private static long secondNow() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
    }

    /** Whether there were fewer events in this second than there may be. */
    private static boolean tryPass() {
        long now = secondNow();
        for (; ; ) {
            long last = SECOND_AND_NUMBER.get();
            boolean sameSecond = last >> NUMBER_BITS == now;
            if (sameSecond && (last & ((1 << NUMBER_BITS) - 1)) >= MAX_PER_SECOND) {
                SKIPPED.incrementAndGet();
                return false;
            }
            if (SECOND_AND_NUMBER.compareAndSet(last, sameSecond ? last + 1 : (now << NUMBER_BITS) + 1)) {
                return true;
            }
        }
    }

    static void write(
            String executor,
            String group,
            String taskId,
            String tag,
            String reason,
            String limitedBy,
            String sharedLimit,
            int active,
            int queuedTasks,
            int limit,
            int queueCapacity,
            long waitedNanos,
            long estimatedWaitNanos) {
        if (!tryPass()) {
            return;
        }
        TaskRejectedEvent event = new TaskRejectedEvent();
        event.executor = executor;
        event.group = group;
        event.taskId = taskId;
        event.tag = tag;
        event.reason = reason;
        event.limitedBy = limitedBy;
        event.sharedLimit = sharedLimit;
        event.active = active;
        event.queuedTasks = queuedTasks;
        event.limit = limit;
        event.queueCapacity = queueCapacity;
        event.waited = waitedNanos;
        event.estimatedWait = estimatedWaitNanos;
        event.notRecorded = SKIPPED.getAndSet(0);
        event.commit();
    }
}
