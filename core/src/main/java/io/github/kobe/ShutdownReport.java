package io.github.kobe;

import io.github.kobe.internal.group.TaskDescription;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * What a shutdown left undone. Dropped tasks are listed once: a second shutdown does not repeat what the first one dropped.
 *
 * @param completed whether everything that the {@link ShutdownMode} lets finish has finished in time; after {@link ShutdownMode#STOP},
 *     whether all threads have returned in time
 * @param dropped tasks that were queued or awaited a retry and were cancelled, at most {@link #MAX_LISTED} of them; immutable
 * @param droppedCount how many were dropped
 * @param running what was on a thread when the time was over, at most {@link #MAX_LISTED}; immutable. Under {@link ShutdownMode#DRAIN} and
 *     {@link ShutdownMode#FINISH_RUNNING} it was interrupted then; under {@link ShutdownMode#STOP} it has not returned in spite of the
 *     interrupt
 * @param runningCount how many were on a thread
 */
public record ShutdownReport(
        boolean completed, List<DroppedTask> dropped, long droppedCount, List<RunningTask> running, long runningCount) {

    /** The lists have at most this many elements. The counts are exact. */
    public static final int MAX_LISTED = 1_000;

    /** Copies the lists. */
    public ShutdownReport {
        dropped = List.copyOf(dropped);
        running = List.copyOf(running);
    }

    /**
     * A task that will not run, or not again.
     *
     * @param groupKey its group
     * @param taskId its id; for a thread that waited for a permit, that of its request
     * @param tag its tag; empty if it has none
     * @param waited how long it had been queued; for a task that awaited a retry, the time since its last attempt, or zero if it kept its
     *     permit
     */
    public record DroppedTask(String groupKey, String taskId, String tag, Duration waited) implements TaskIdentity {

        /** Throws {@link NullPointerException} if an argument is {@code null}. */
        public DroppedTask {
            Objects.requireNonNull(groupKey, "groupKey");
            Objects.requireNonNull(taskId, "taskId");
            Objects.requireNonNull(tag, "tag");
            Objects.requireNonNull(waited, "waited");
        }

        /** Returns, for example, "task 't' of group 'g', waited 5 ms". */
        @Override
        public String toString() {
            return TaskDescription.of(this) + ", waited " + Durations.text(waited);
        }
    }

    /**
     * Something that was on a thread.
     *
     * @param groupKey its group
     * @param taskId its id; "permit" for any permit that a calling thread holds
     * @param tag its tag; empty if it has none
     * @param ran since when its current attempt runs; zero for a permit
     */
    public record RunningTask(String groupKey, String taskId, String tag, Duration ran) implements TaskIdentity {

        /** Throws {@link NullPointerException} if an argument is {@code null}. */
        public RunningTask {
            Objects.requireNonNull(groupKey, "groupKey");
            Objects.requireNonNull(taskId, "taskId");
            Objects.requireNonNull(tag, "tag");
            Objects.requireNonNull(ran, "ran");
        }

        /** Returns, for example, "task 't' of group 'g', running for 5 s". */
        @Override
        public String toString() {
            return TaskDescription.of(this) + (ran.isZero() ? "" : ", running for " + Durations.text(ran));
        }
    }

    /** Returns, for example, "completed, 2 dropped [task 't' of group 'g', waited 5 ms, ...], 0 running". */
    @Override
    public String toString() {
        return (completed ? "completed, " : "not completed, ")
                + text(droppedCount, "dropped", dropped) + ", "
                + text(runningCount, "running", running);
    }

    private static String text(long count, String what, List<?> listed) {
        if (listed.isEmpty()) {
            return count + " " + what;
        }
        return count + " " + what + " [" + listed.getFirst() + (count > 1 ? ", ...]" : "]");
    }
}
