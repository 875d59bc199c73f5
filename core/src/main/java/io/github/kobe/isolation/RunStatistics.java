package io.github.kobe.isolation;

/** Tasks that run, and how long those took that have ended. Not safe for use by several threads. */
final class RunStatistics {

    private int running;
    private long starts; // their sum; wraps around, and so does what it is compared with
    private double work; // time taken by those that have ended, less and less the longer ago
    private double square; // the same of each one's time squared
    private double number; // of those
    private double past; // how long a place was taken, on average over time, by those

    void begin(long now) {
        running++;
        starts += now;
    }

    /** One that began at {@code start} is none of these any more. */
    void leave(long start) {
        running--;
        starts -= start;
    }

    /** @param memory how much work it takes for an earlier one to be as good as forgotten */
    void ended(long start, long now, double memory) {
        double took = Math.max(1, now - start);
        double kept = memory / (memory + took);
        work = work * kept + took;
        square = square * kept + took * took;
        number = number * kept + 1;
        past = square / work;
    }

    /** The sum of the ages of those that run. */
    private long ages(long now) {
        return running * now - starts;
    }

    int running() {
        return running;
    }

    /** Whether nothing is known about how long they take. */
    boolean isUnknown() {
        return work == 0;
    }

    /** How long one of them takes: the mean over tasks, to which those that run contribute what they have taken so far. */
    double meanTime(long now) {
        double tasks = number + running;
        return tasks == 0 ? 0 : (work + ages(now)) / tasks;
    }

    /** The same, but if those that run are older than half of that, what that makes it: they are half way through, on average. */
    double lengthAtLeast(long now) {
        return Math.max(meanTime(now), running == 0 ? 0 : 2.0 * ages(now) / running);
    }

    /**
     * How long a place is taken that one of them holds: the mean over time, in which long ones weigh more. At least as long as those
     * that run have held theirs; and while that is most of what there is to go by, twice as long: they are half way through, on
     * average.
     */
    double holdingTime(long now) {
        double ages = ages(now);
        double factor = work < ages ? 2 : 1;
        return factor * ages <= past * running ? past : factor * ages / running;
    }
}
