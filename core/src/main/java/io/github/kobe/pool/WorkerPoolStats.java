package io.github.kobe.pool;

import io.github.kobe.TaskCounts;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.StringJoiner;

/**
 * A snapshot of a {@link WorkerPool}, and what it has done so far. The parts are read one after the other while tasks start and complete, so they
 * need not belong to one instant.
 *
 * @param name the pool's name
 * @param workers the number of workers, including zombies
 * @param activeWorkers the number of workers that have a task
 * @param minWorkers how many workers stay when they are idle
 * @param maxWorkers how many workers there may be, without those that replace zombies
 * @param size how many workers the pool uses; {@code maxWorkers} unless {@link Sizing} decides otherwise
 * @param queuedTasks the number of queued tasks
 * @param queueCapacity how many tasks may be queued; {@link Integer#MAX_VALUE} if there is no limit
 * @param blockedSubmitters the number of threads that wait for space in the queue, see {@link io.github.kobe.RejectionPolicy#BLOCK}
 * @param counts the tasks since the last restart, and their outcomes
 * @param lifetimeCounts the same since the pool was built
 * @param replaced how many workers were replaced since the last restart, because a task did not return after an interrupt
 * @param zombies how many of those tasks have not returned yet
 * @param oldestWaiting how long the oldest queued task has been queued; zero if none is
 * @param busyShare the fraction of their time that workers were busy, over the last minute; 0 without workers
 * @param restarts how often the pool was restarted
 * @param sizingDecisions the latest decisions of {@link Sizing#UTILIZATION}, oldest first; unmodifiable
 */
public record WorkerPoolStats(
        String name,
        int workers,
        int activeWorkers,
        int minWorkers,
        int maxWorkers,
        int size,
        int queuedTasks,
        int queueCapacity,
        int blockedSubmitters,
        TaskCounts counts,
        TaskCounts lifetimeCounts,
        long replaced,
        int zombies,
        Duration oldestWaiting,
        double busyShare,
        int restarts,
        List<SizingDecision> sizingDecisions) {

    private static final double BUSY = 0.9;
    private static final double MOSTLY_IDLE = 0.2;

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

    /** Advice on the settings, derived from these statistics, in one or two sentences. */
    public String advice() {
        StringJoiner advice = new StringJoiner(" ");
        boolean full = activeWorkers >= maxWorkers;
        if (full && queuedTasks > 0 && busyShare >= BUSY) {
            advice.add(String.format(
                    Locale.ROOT,
                    "maxWorkers (%d) is the bottleneck: workers were busy for %.0f%% of the last minute and %d tasks wait,"
                            + " the oldest for %d ms; raise it, or make tasks shorter.",
                    maxWorkers,
                    busyShare * 100,
                    queuedTasks,
                    oldestWaiting.toMillis()));
        } else if (queuedTasks > maxWorkers) {
            advice.add(String.format(
                    Locale.ROOT,
                    "Tasks pile up: %d wait for %d workers, the oldest for %d ms.",
                    queuedTasks,
                    maxWorkers,
                    oldestWaiting.toMillis()));
        }
        if (workers > 1 && minWorkers > 1 && queuedTasks == 0 && busyShare < MOSTLY_IDLE) {
            advice.add(String.format(
                    Locale.ROOT,
                    "minWorkers (%d) is wasted: workers were busy for %.0f%% of the last minute.",
                    minWorkers,
                    busyShare * 100));
        }
        if (zombies > 0) {
            advice.add(String.format(
                    Locale.ROOT, "%d workers are held by tasks that do not end after their timeout.", zombies));
        }
        return advice.length() == 0 ? "Nothing to change." : advice.toString();
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d/%d workers active of at most %d, %.0f%% busy, %d queued%s%s | %s%s",
                activeWorkers,
                workers,
                maxWorkers,
                busyShare * 100,
                queuedTasks,
                queuedTasks == 0 ? "" : " (oldest " + oldestWaiting.toMillis() + " ms)",
                blockedSubmitters == 0 ? "" : ", " + blockedSubmitters + " blocked submitters",
                counts,
                replaced == 0 ? "" : " | " + replaced + " replaced");
    }
}
