package io.github.kobe.internal.fair;

import org.jspecify.annotations.Nullable;

/**
 * The charges of one group in a {@link ServiceTimeQueue}. The queue's lock guards all fields.
 *
 * <p>{@code virtualTime} is the time for which tasks of the group have held permits; each interval is divided by the weight that the group
 * had then. {@link #settle} brings it up to date. {@code expected} is how much longer the running tasks will hold their permits, estimated
 * from earlier tasks; it falls as they hold them. So {@link #currentRank} is constant while tasks take as long as expected, and rises while
 * they take longer. It falls only if a task completes early, or if the weight is raised.
 */
final class ServiceTimeState extends HeapEntry {

    /** A new service time enters the mean with a weight of one in this many. */
    private static final int SMOOTHING = 8;

    private static final double UNKNOWN = -1;

    private final ServiceTimeQueue queue;

    /** Whether a thread has polled the group, and has neither added it again nor called {@link ServiceTimeQueue#left}. */
    boolean polled;

    /** The epoch of the queue that {@code virtualTime} belongs to. */
    int epoch;

    @Nullable
    Competitor group;

    private double virtualTime;
    private double expected;
    private double mean = UNKNOWN; // of past service times
    private int running;
    private long settledAt;

    ServiceTimeState(ServiceTimeQueue queue) {
        this.queue = queue;
    }

    @Override
    public void setWeight(int weight) {
        queue.changeWeight(this, () -> super.setWeight(weight));
    }

    /** Charges the time held until {@code now}, unless a thread that read the clock later has settled before. */
    void settle(long now) {
        long passed = now - settledAt;
        if (running > 0 && passed <= 0) {
            return;
        }
        double held = (double) passed * running;
        virtualTime += held / weight();
        expected = Math.max(0, expected - held);
        settledAt = now;
    }

    /** Forgets the charges. */
    void reset() {
        virtualTime = 0;
    }

    /** A task has held a permit since {@code start}. */
    void started(long start, double guessIfUnknown) {
        settle(start);
        charge(settledAt - start);
        expected += mean == UNKNOWN ? guessIfUnknown : mean;
        running++;
    }

    /** A task held a permit from {@code start} until {@code now}. */
    void completed(long start, long now, double guessIfUnknown) {
        settle(now);
        charge(now - settledAt);
        long held = now - start;
        double guess = mean == UNKNOWN ? guessIfUnknown : mean;
        running--;
        expected = running == 0 ? 0 : Math.max(0, expected - Math.max(0, guess - held));
        mean = mean == UNKNOWN ? held : mean(mean, held);
    }

    private void charge(long nanos) {
        virtualTime += (double) nanos / weight();
    }

    static double mean(double before, long held) {
        return before + (held - before) / SMOOTHING;
    }

    /** The time charged so far. */
    double virtualTime() {
        return virtualTime;
    }

    /** The time charged so far and the time expected. The group with the lowest value is next. */
    double currentRank() {
        return virtualTime + expected / weight();
    }

    /** Raises the rank to {@code minRank}, so that time which the group did not use is lost. */
    void raiseTo(double minRank) {
        virtualTime += Math.max(0, minRank - currentRank());
    }
}
