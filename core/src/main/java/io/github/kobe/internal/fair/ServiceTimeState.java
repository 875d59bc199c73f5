package io.github.kobe.internal.fair;

import org.jspecify.annotations.Nullable;

/**
 * A group's account with {@link ServiceTimeQueue}, under whose lock all of it is used.
 *
 * <p>{@code virtual} is the time that its tickets have held places, each stretch divided by the weight it had then; it is
 * brought up to date by {@link #settle}. {@code expected} is how much longer those that run now will hold theirs, by what
 * earlier ones did; it is used up by their holding them. So the {@link #key} stands still while tickets do as expected, and
 * rises while they take longer. It falls only when one ends early, or when the weight is raised.
 */
final class ServiceTimeState extends HeapEntry {

    /** A new holding time counts one in so many in the mean. */
    private static final int SMOOTHING = 8;

    private static final double UNKNOWN = -1;

    private final ServiceTimeQueue queue;

    /** Whether a server has it in its hands. */
    boolean polled;

    /** Which of the queue's rush hours {@code virtual} belongs to. */
    int epoch;

    @Nullable
    Competitor group;

    private double virtual;
    private double expected;
    private double mean = UNKNOWN; // of past holding times
    private int running;
    private long settledAt;

    ServiceTimeState(ServiceTimeQueue queue) {
        this.queue = queue;
    }

    @Override
    public void setWeight(int weight) {
        queue.changeWeight(this, () -> super.setWeight(weight));
    }

    /** Charges what was held until {@code now}, unless somebody who looked at the clock later was here earlier. */
    void settle(long now) {
        long passed = now - settledAt;
        if (running > 0 && passed <= 0) {
            return;
        }
        double held = (double) passed * running;
        virtual += held / weight();
        expected = Math.max(0, expected - held);
        settledAt = now;
    }

    /** Forgets what was charged. */
    void reset() {
        virtual = 0;
    }

    /** A ticket has held a place since {@code start}. */
    void started(long start, double guessIfUnknown) {
        settle(start);
        charge(settledAt - start);
        expected += mean == UNKNOWN ? guessIfUnknown : mean;
        running++;
    }

    /** The ticket that has held a place since {@code start} has done so until {@code now}. */
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
        virtual += (double) nanos / weight();
    }

    static double mean(double before, long held) {
        return before + (held - before) / SMOOTHING;
    }

    /** What it has had. */
    double virtual() {
        return virtual;
    }

    /** What it has had and is about to have. The group with the smallest is next. */
    double key() {
        return virtual + expected / weight();
    }

    /** Time that it did not use is not made up for. */
    void raiseTo(double least) {
        virtual += Math.max(0, least - key());
    }
}
