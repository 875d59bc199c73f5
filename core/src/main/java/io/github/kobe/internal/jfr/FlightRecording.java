package io.github.kobe.internal.jfr;

import org.jspecify.annotations.Nullable;

/**
 * Writes events to the flight recorder. Ask whether an event is recorded before you compute what it shows: while it is not, the answer is a
 * constant for the compiler, unless a recording was made before in this JVM.
 *
 * <p>This class refers to the event classes only behind the check of {@code AVAILABLE}, so they are not loaded where there is no {@code jdk.jfr}.
 */
public final class FlightRecording {

    private static final boolean AVAILABLE = isAvailable();

    private FlightRecording() {}

    private static boolean isAvailable() {
        try {
            Class.forName("jdk.jfr.Event", false, FlightRecording.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError absent) {
            return false;
        }
    }

    /** Whether completed or rejected tasks are recorded. */
    public static boolean recordsTasks() {
        return AVAILABLE && (TaskCompletedEvent.isOn() || TaskRejectedEvent.isOn());
    }

    /**
     * A task has completed without being rejected.
     *
     * @param outcome the name of its status
     * @param errorClass the class of what it failed with; {@code null} if it succeeded
     */
    public static void taskCompleted(
            String executor,
            String group,
            String taskId,
            String tag,
            String outcome,
            @Nullable Class<?> errorClass,
            long queuedNanos,
            long runNanos,
            int attempts) {
        if (AVAILABLE && TaskCompletedEvent.isOn()) {
            TaskCompletedEvent.write(
                    executor, group, taskId, tag, outcome, errorClass, queuedNanos, runNanos, attempts);
        }
    }

    /** Whether rejected tasks and requests are recorded. */
    public static boolean recordsRejections() {
        return AVAILABLE && TaskRejectedEvent.isOn();
    }

    /**
     * A task, or a request for a permit, was rejected.
     *
     * @param limitedBy the limit that was in the way
     * @param sharedLimit the shared limit that it was; empty if it was another one
     */
    public static void taskRejected(
            String executor,
            String group,
            String taskId,
            String tag,
            String reason,
            String limitedBy,
            String sharedLimit,
            int active,
            int queued,
            int limit,
            int queueCapacity,
            long waitedNanos,
            long estimatedWaitNanos) {
        if (recordsRejections()) {
            TaskRejectedEvent.write(
                    executor,
                    group,
                    taskId,
                    tag,
                    reason,
                    limitedBy,
                    sharedLimit,
                    active,
                    queued,
                    limit,
                    queueCapacity,
                    waitedNanos,
                    estimatedWaitNanos);
        }
    }

    /** Whether changes of limits are recorded. */
    public static boolean recordsLimits() {
        return AVAILABLE && LimitChangedEvent.isOn();
    }

    /**
     * A limit has changed.
     *
     * @param group the group that it is a limit of; empty if it is one of the executor
     */
    public static void limitChanged(String executor, String group, String limit, int from, int to) {
        if (from != to && recordsLimits()) {
            LimitChangedEvent.write(executor, group, limit, from, to);
        }
    }

    /** A key of an isolation executor has changed its lane. */
    public static void laneChanged(String executor, String key, String from, String to) {
        if (AVAILABLE && LaneChangedEvent.isOn()) {
            LaneChangedEvent.write(executor, key, from, to);
        }
    }

    /** A pool may have another number of workers. */
    public static void poolResized(String pool, int from, int to, int minWorkers, int maxWorkers, int zombies) {
        if (from != to && AVAILABLE && PoolResizedEvent.isOn()) {
            PoolResizedEvent.write(pool, from, to, minWorkers, maxWorkers, zombies);
        }
    }
}
