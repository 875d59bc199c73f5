package io.github.kobe.isolation;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.FairnessState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What {@link IsolationQueue} knows about one key. Guarded by its lock, with two exceptions: {@code polledAt}, and reads by
 * {@link LaneCounters} and {@link IsolationQueue#mayStartDirectly}, which may see slightly old values.
 */
final class KeyState extends FairnessState {

    static final long NOT_POLLED = Long.MIN_VALUE;

    /** The weight of a new value in a mean is one divided by this. */
    private static final int SMOOTHING = 8;

    private @Nullable Competitor group;

    // ---- position in KeyQueues --------------------------------------------------------------------------------

    /** The {@link KeyClass#code} of the queue that contains the key; 0 if the key is not queued. */
    private int queueCode;

    int bucket;

    int position;

    /** When the key was queued. */
    long queuedSince;

    /** When the key was polled for a task that has not started yet. Used only by the thread that polled the key. */
    long polledAt = NOT_POLLED;

    // ---- running tasks ----------------------------------------------------------------------------------------

    int running;

    /** The start times of the running tasks, added up. Overflows, and so does the value that it is subtracted from. */
    private long startTimeSum;

    /** How many tasks have started since the last completion. */
    int startsSinceCompletion;

    /** When the first of those tasks started. */
    private long firstStartSinceCompletion;

    /** When a task last started. */
    long lastStart;

    /** When the first task of the key started. */
    long firstStart;

    /** Used by {@link RunningKeys}. */
    @Nullable
    KeyState nextRunning;

    // ---- completed tasks --------------------------------------------------------------------------------------

    long completed;

    /** The mean time of completed tasks; meaningless while there is none. */
    double meanTime;

    private double meanSquare;

    // ---- classification by CapacityPolicy ---------------------------------------------------------------------

    /** Whether the key is slow by {@link IsolationPolicy#slowThreshold}. */
    boolean slow;

    /** Whether tasks of the key are short compared with other tasks. */
    boolean fast;

    /** How many of the permits in use count as used by fast keys because of this key. */
    int fastRunning;

    /** How many more permits this key wants as a fast key. */
    int fastQueued;

    /** How many tasks run, if the key is new or seems hung; else 0. */
    int unprovenRunning;

    /** How many of the running tasks were white-listed when they started. */
    int whiteListedRunning;

    // ---- peaks of PeakUsage -----------------------------------------------------------------------------------

    int peak;

    int previousPeak;

    /** The period that {@code peak} belongs to. -2 belongs to no period. */
    int peakPeriod = -2;

    /** Called before the key is queued or gets a permit. */
    void bindTo(Competitor itsGroup) {
        if (group == null) {
            group = itsGroup;
        }
    }

    Competitor group() {
        return Objects.requireNonNull(group);
    }

    String name() {
        return group().key();
    }

    void setQueuedAs(@Nullable KeyClass keyClass) {
        queueCode = keyClass == null ? 0 : keyClass.code;
    }

    boolean isQueued() {
        return queueCode != 0;
    }

    boolean isQueuedAs(KeyClass keyClass) {
        return queueCode == keyClass.code;
    }

    /** Whether no task of the key has completed. */
    boolean isNew() {
        return completed == 0;
    }

    void recordStart(long now) {
        if (running == 0 && isNew()) {
            firstStart = now;
        }
        if (startsSinceCompletion == 0) {
            firstStartSinceCompletion = now;
        }
        lastStart = now;
        running++;
        startsSinceCompletion++;
        startTimeSum += now;
    }

    void recordCompletion(long start, long now) {
        double time = Math.max(0, now - start);
        double weight = isNew() ? 1 : 1.0 / SMOOTHING;
        meanTime += (time - meanTime) * weight;
        meanSquare += (time * time - meanSquare) * weight;
        completed++;
        startsSinceCompletion = 0;
        removeRunning(start);
    }

    /** Undoes {@link #recordStart} for a task that got a permit at {@code start} but did not run. */
    void undoStart(long start) {
        startsSinceCompletion = Math.max(0, startsSinceCompletion - 1);
        removeRunning(start);
    }

    private void removeRunning(long start) {
        running--;
        startTimeSum =
                running == 0 ? 0 : startTimeSum - start; // a lent permit may be released with the start of another task
    }

    /** The mean age of the running tasks; 0 if none runs. */
    double meanAge(long now) {
        return running == 0 ? 0 : (double) (running * now - startTimeSum) / running;
    }

    /** The time since the first start after the last completion; 0 if no task has started since. */
    double nanosWithoutCompletion(long now) {
        return startsSinceCompletion == 0 ? 0 : (double) (now - firstStartSinceCompletion);
    }

    /** How long a permit of this key is held, as a mean over time: long tasks weigh more than in the mean over tasks. */
    double holdingTime() {
        return meanTime == 0 ? 0 : meanSquare / meanTime;
    }

    /** Whether {@link #holdingTime} is at most {@code nanos}, without the division. */
    boolean holdsPermitAtMost(double nanos) {
        return meanSquare <= nanos * meanTime;
    }

    /** How long a task of the key takes: the mean of completed tasks, or the mean age of running tasks if that is more. */
    double typicalTime(long now) {
        return Math.max(meanTime, meanAge(now));
    }

    /**
     * The least mean time after the running tasks complete. One unusually long task raises it only as much as its completion would, so it
     * does not change the class of a fast key.
     */
    double projectedMean(long now) {
        double age = meanAge(now);
        return isNew() || age <= meanTime ? typicalTime(now) : meanTime + running * (age - meanTime) / SMOOTHING;
    }
}
