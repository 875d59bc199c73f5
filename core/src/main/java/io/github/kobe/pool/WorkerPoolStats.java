package io.github.kobe.pool;

import io.github.kobe.TaskCounts;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A {@link WorkerPool} as it is now, and what it has done. The parts are read one after the other while tasks come and go, so they need
 * not belong to one instant. Its text is for people.
 *
 * @param name the pool's name
 * @param workers how many workers there are, those included that were replaced
 * @param activeWorkers how many of them have something to do
 * @param minWorkers how many stay
 * @param maxWorkers how many there may be, but for those that stand in for others
 * @param size how many the pool uses; {@code maxWorkers} unless {@link Sizing} decides otherwise
 * @param queuedTasks how many tasks wait
 * @param counts how many tasks there were since the last restart, and how they ended
 * @param lifetimeCounts the same since the pool was built
 * @param replaced how many workers were replaced since the last restart, because a task would not end
 * @param zombies how many of those tasks have not ended yet
 * @param oldestWaiting how long the task has waited that has waited longest; zero if none waits
 * @param busyShare which part of their time workers were busy, over the last minute; 0 if there were none
 * @param restarts how often the pool was restarted
 * @param sizingDecisions what {@link Sizing#UTILIZATION} decided lately, oldest first; unmodifiable
 */
public record WorkerPoolStats(
        String name,
        int workers,
        int activeWorkers,
        int minWorkers,
        int maxWorkers,
        int size,
        int queuedTasks,
        TaskCounts counts,
        TaskCounts lifetimeCounts,
        long replaced,
        int zombies,
        Duration oldestWaiting,
        double busyShare,
        int restarts,
        List<SizingDecision> sizingDecisions) {

    /** Checks that nothing is {@code null}, and copies the list. */
    public WorkerPoolStats {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(counts, "counts");
        Objects.requireNonNull(lifetimeCounts, "lifetimeCounts");
        Objects.requireNonNull(oldestWaiting, "oldestWaiting");
        sizingDecisions = List.copyOf(sizingDecisions);
    }

    /** How many tasks returned, since the last restart. */
    public long completed() {
        return counts.succeeded();
    }

    /** How many tasks failed, those that timed out included, since the last restart. */
    public long failed() {
        return counts.failed();
    }

    /** How many tasks were cancelled, since the last restart. */
    public long cancelled() {
        return counts.cancelled();
    }

    /** How many tasks exceeded their timeout, since the last restart. */
    public long timedOut() {
        return counts.timedOut();
    }

    /** How many tasks were rejected, since the last restart. */
    public long rejected() {
        return counts.rejected();
    }

    /** What these figures suggest, in a sentence or two. */
    public String advice() {
        return PoolAdvice.of(this);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d/%d workers active of at most %d, %.0f%% busy, %d queued%s | %s%s",
                activeWorkers,
                workers,
                maxWorkers,
                busyShare * 100,
                queuedTasks,
                queuedTasks == 0 ? "" : " (oldest " + oldestWaiting.toMillis() + " ms)",
                counts,
                replaced == 0 ? "" : " | " + replaced + " replaced");
    }
}
