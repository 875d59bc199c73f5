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

    /** The {@link KeyClass#number} of the line that it is in; 0 if it is in none. */
    private int line;

    /** Where it is in that line. */
    int bucket;

    int position;

    /** Since when it is in line. */
    long since;

    /** When it was polled for a task that has not been started yet. Used by the thread that has the group in its hands. */
    long polledAt = NOT_POLLED;

    /** How many of its tasks run. */
    int running;

    /** How many have started since one last ended. */
    int unanswered;

    /** When the first of those did. */
    private long unansweredSince;

    /** When one last did. */
    long lastStart;

    /** The sum of the times at which those that run started; wraps around, and so does what it is compared with. */
    private long starts;

    /** When its first task started. */
    long firstStart;

    /** How many of its tasks have ended. */
    long ended;

    /** The mean time that those have taken; meaningless while there are none. */
    double mean;

    /** The mean of the squares of those times. */
    private double square;

    /** By the policy's standard. */
    boolean slow;

    /** In comparison. */
    boolean quick;

    /** How much of what quick work has, and wants, is its. */
    int quickRunning;

    int quickWaiting;

    /** How many run, if it is new or seems to hang. */
    int unprovenRunning;

    /** See {@link PeakUsage}. */
    int used;

    int usedBefore;
    int usedIn = -2; // in none

    /** How many of its tasks run that were white-listed when they started, or as many as do. */
    int whites;

    /** Called before it is in line or has a place. */
    void belongsTo(Competitor its) {
        if (group == null) {
            group = its;
        }
    }

    Competitor group() {
        return Objects.requireNonNull(group);
    }

    void setLine(@Nullable KeyClass standing) {
        line = standing == null ? 0 : standing.number;
    }

    boolean isInLine() {
        return line != 0;
    }

    boolean isIn(KeyClass standing) {
        return line == standing.number;
    }

    String key() {
        return group().key();
    }

    boolean isStranger() {
        return ended == 0;
    }

    void begin(long now) {
        if (running == 0 && isStranger()) {
            firstStart = now;
        }
        if (unanswered == 0) {
            unansweredSince = now;
        }
        lastStart = now;
        running++;
        unanswered++;
        starts += now;
    }

    void end(long start, long now) {
        double took = Math.max(0, now - start);
        double weight = isStranger() ? 1 : 1.0 / SMOOTHING;
        mean += (took - mean) * weight;
        square += (took * took - square) * weight;
        ended++;
        unanswered = 0;
        leave(start);
    }

    /** One that is counted as begun at {@code start} never did. */
    void takeBack(long start) {
        unanswered = Math.max(0, unanswered - 1);
        leave(start);
    }

    /** One that began at {@code start} does not run any more. */
    private void leave(long start) {
        running--;
        starts -= start;
    }

    /** The mean age of those that run; 0 if none does. */
    double age(long now) {
        return running == 0 ? 0 : (double) (running * now - starts) / running;
    }

    /** For how long tasks have been starting and none has ended; 0 if the last that happened is an end. */
    double silence(long now) {
        return unanswered == 0 ? 0 : (double) (now - unansweredSince);
    }

    /** For how long a place is taken that one of its tasks holds, on average over time. */
    double holdingTime() {
        return mean == 0 ? 0 : square / mean;
    }

    /** Whether that is at most {@code nanos}; quicker to say than how long it is. */
    boolean holdsForAtMost(double nanos) {
        return square <= nanos * mean;
    }

    /** How long one of its tasks takes, judging by those that have ended and those that have not. */
    double typical(long now) {
        return Math.max(mean, age(now));
    }

    /** The same, but one task that is out of the ordinary counts as little as if it had ended: what the mean is at least going to be. */
    double foreseen(long now) {
        double age = age(now);
        return isStranger() || age <= mean ? typical(now) : mean + running * (age - mean) / SMOOTHING;
    }
}
