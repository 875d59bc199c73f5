package io.github.kobe.isolation;

/** Tasks that run, and how long those took that have ended. Not safe for use by several threads. */
final class RunStatistics {

    private int running;
    private long startTimeSum; // their sum; wraps around, and so does what it is compared with
    private double timeSum; // time taken by those that have ended, less and less the longer ago
    private double squareSum; // the same of each one's time squared
    private double count; // of those
    private double pastHoldingTime; // how long a place was taken, on average over time, by those

    void recordStart(long now) {
        running++;
        startTimeSum += now;
    }

    /** One that began at {@code start} is none of these any more. */
    void removeRunning(long start) {
        running--;
        startTimeSum -= start;
    }

    /** @param memory how much work it takes for an earlier one to be as good as forgotten */
    void recordCompletion(long start, long now, double memory) {
        double took = Math.max(1, now - start);
        double kept = memory / (memory + took);
        timeSum = timeSum * kept + took;
        squareSum = squareSum * kept + took * took;
        count = count * kept + 1;
        pastHoldingTime = squareSum / timeSum;
    }

    /** The sum of the ages of those that run. */
    private long ageSum(long now) {
        return running * now - startTimeSum;
    }

    int running() {
        return running;
    }

    /** Whether nothing is known about how long they take. */
    boolean hasNoCompletions() {
        return timeSum == 0;
    }

    /** How long one of them takes: the mean over tasks, to which those that run contribute what they have taken so far. */
    double meanTime(long now) {
        double tasks = count + running;
        return tasks == 0 ? 0 : (timeSum + ageSum(now)) / tasks;
    }

    /** The same, but if those that run are older than half of that, what that makes it: they are half way through, on average. */
    double projectedTime(long now) {
        return Math.max(meanTime(now), running == 0 ? 0 : 2.0 * ageSum(now) / running);
    }

    /**
     * How long a place is taken that one of them holds: the mean over time, in which long ones weigh more. At least as long as those
     * that run have held theirs; and while that is most of what there is to go by, twice as long: they are half way through, on
     * average.
     */
    double holdingTime(long now) {
        double ages = ageSum(now);
        double factor = timeSum < ages ? 2 : 1;
        return factor * ages <= pastHoldingTime * running ? pastHoldingTime : factor * ages / running;
    }
}
