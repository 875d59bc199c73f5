package io.github.kobe.isolation;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.FairnessState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What {@link IsolationQueue} knows about one key. Used under its lock; but lanes, which decide nothing, look at some of it from outside,
 * and what they see may be a moment old.
 */
final class KeyState extends FairnessState {

    static final long NOT_POLLED = Long.MIN_VALUE;

    /** A new task counts one in so many in the mean. */
    private static final int SMOOTHING = 8;

    private @Nullable Competitor group;

    /** The {@link KeyClass#code} of the line that it is in; 0 if it is in none. */
    private int queueCode;

    /** Where it is in that line. */
    int bucket;

    int position;

    /** Since when it is in line. */
    long queuedSince;

    /** When it was polled for a task that has not been started yet. Used by the thread that has the group in its hands. */
    long polledAt = NOT_POLLED;

    /** How many of its tasks run. */
    int running;

    /** How many have started since one last ended. */
    int startsSinceCompletion;

    /** When the first of those did. */
    private long firstStartSinceCompletion;

    /** When one last did. */
    long lastStart;

    /** The sum of the times at which those that run started; wraps around, and so does what it is compared with. */
    private long startTimeSum;

    /** When its first task started. */
    long firstStart;

    /** How many of its tasks have ended. */
    long completed;

    /** The mean time that those have taken; meaningless while there are none. */
    double meanTime;

    /** The mean of the squares of those times. */
    private double meanSquare;

    /** By the policy's standard. */
    boolean slow;

    /** In comparison. */
    boolean fast;

    /** How much of what quick work has, and wants, is its. */
    int fastRunning;

    int fastQueued;

    /** How many run, if it is new or seems to hang. */
    int unprovenRunning;

    /** See {@link PeakUsage}. */
    int peak;

    int previousPeak;
    int peakPeriod = -2; // in none

    /** How many of its tasks run that were white-listed when they started, or as many as do. */
    int whiteListedRunning;

    /** Called before it is in line or has a place. */
    void bindTo(Competitor its) {
        if (group == null) {
            group = its;
        }
    }

    Competitor group() {
        return Objects.requireNonNull(group);
    }

    void setQueuedAs(@Nullable KeyClass standing) {
        queueCode = standing == null ? 0 : standing.code;
    }

    boolean isQueued() {
        return queueCode != 0;
    }

    boolean isQueuedAs(KeyClass standing) {
        return queueCode == standing.code;
    }

    String name() {
        return group().key();
    }

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
        double took = Math.max(0, now - start);
        double weight = isNew() ? 1 : 1.0 / SMOOTHING;
        meanTime += (took - meanTime) * weight;
        meanSquare += (took * took - meanSquare) * weight;
        completed++;
        startsSinceCompletion = 0;
        removeRunning(start);
    }

    /** One that is counted as begun at {@code start} never did. */
    void undoStart(long start) {
        startsSinceCompletion = Math.max(0, startsSinceCompletion - 1);
        removeRunning(start);
    }

    /** One that began at {@code start} does not run any more. */
    private void removeRunning(long start) {
        running--;
        startTimeSum -= start;
    }

    /** The mean age of those that run; 0 if none does. */
    double meanAge(long now) {
        return running == 0 ? 0 : (double) (running * now - startTimeSum) / running;
    }

    /** For how long tasks have been starting and none has ended; 0 if the last that happened is an end. */
    double nanosWithoutCompletion(long now) {
        return startsSinceCompletion == 0 ? 0 : (double) (now - firstStartSinceCompletion);
    }

    /** For how long a place is taken that one of its tasks holds, on average over time. */
    double holdingTime() {
        return meanTime == 0 ? 0 : meanSquare / meanTime;
    }

    /** Whether that is at most {@code nanos}; quicker to say than how long it is. */
    boolean holdsPermitAtMost(double nanos) {
        return meanSquare <= nanos * meanTime;
    }

    /** How long one of its tasks takes, judging by those that have ended and those that have not. */
    double typicalTime(long now) {
        return Math.max(meanTime, meanAge(now));
    }

    /** The same, but one task that is out of the ordinary counts as little as if it had ended: what the mean is at least going to be. */
    double projectedMean(long now) {
        double age = meanAge(now);
        return isNew() || age <= meanTime ? typicalTime(now) : meanTime + running * (age - meanTime) / SMOOTHING;
    }
}
