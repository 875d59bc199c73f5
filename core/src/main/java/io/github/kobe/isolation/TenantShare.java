package io.github.kobe.isolation;

import io.github.kobe.internal.Group;
import io.github.kobe.internal.Share;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Tenants} knows about one key. Used under its lock; but lanes, which decide nothing, look at some of it from outside,
 * and what they see may be a moment old.
 */
final class TenantShare extends Share implements News.Item {

    static final long NOT_POLLED = Long.MIN_VALUE;

    /** A new task counts one in so many in the mean. */
    private static final int SMOOTHING = 8;

    private @Nullable Group group;

    /** The line that it is in, if any. */
    @Nullable
    Standing line;

    /** Where it is in that line. */
    int bucket;

    @Nullable
    TenantShare previous;

    @Nullable
    TenantShare next;

    /** Since when it is in line; written by the one who puts it there. */
    long since;

    private News.@Nullable Item told;

    /** When it was polled for a task that has not been started yet. Used by the thread that has the group in its hands. */
    long polledAt = NOT_POLLED;

    /** How many of its tasks run. */
    int running;

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

    /** How many of its tasks run that were white-listed when they started, or as many as do. */
    int whites;

    /** Called before anything else. */
    void belongsTo(Group its) {
        if (group == null) {
            group = its;
        }
    }

    Group group() {
        return Objects.requireNonNull(group);
    }

    /**
     * It got in line. The share is the news itself: it does not get in line again before it was polled, and is not polled before that
     * is taken in.
     */
    @Override
    public void takeIn(News.Reader reader) {
        reader.joined(this);
    }

    @Override
    public News.@Nullable Item next() {
        return told;
    }

    @Override
    public void setNext(News.@Nullable Item item) {
        told = item;
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
        running++;
        starts += now;
    }

    void end(long start, long now) {
        double took = Math.max(0, now - start);
        double weight = isStranger() ? 1 : 1.0 / SMOOTHING;
        mean += (took - mean) * weight;
        square += (took * took - square) * weight;
        ended++;
        leave(start);
    }

    /** One that began at {@code start} does not run any more. */
    void leave(long start) {
        running--;
        starts -= start;
    }

    /** The mean age of those that run; 0 if none does. */
    double age(long now) {
        return running == 0 ? 0 : (double) (running * now - starts) / running;
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
