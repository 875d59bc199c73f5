package io.github.kobe.isolation;

/**
 * Estimates how long tasks of a set take, from those that have completed and the ages of those that run. The weight of a completed task
 * decreases with the work that follows it. Not thread-safe.
 */
final class ServiceTimeEstimator {

    private int running;
    private long startTimeSum; // of the running tasks; overflows, and so does the value that it is subtracted from
    private double timeSum; // weighted sum of the times of completed tasks
    private double squareSum; // weighted sum of the squares of these times
    private double count; // weighted number of completed tasks
    private double pastHoldingTime; // how long a completed task held its permit, as a mean over time

    void recordStart(long now) {
        running++;
        startTimeSum += now;
    }

    /** Removes a task that started at {@code start} from the running ones. */
    void removeRunning(long start) {
        running--;
        startTimeSum =
                running == 0 ? 0 : startTimeSum - start; // a lent permit may be released with the start of another task
    }

    /** @param memory after this much work, in nanoseconds, an earlier task counts for little */
    void recordCompletion(long start, long now, double memory) {
        double time = Math.max(1, now - start);
        double kept = memory / (memory + time);
        timeSum = timeSum * kept + time;
        squareSum = squareSum * kept + time * time;
        count = count * kept + 1;
        pastHoldingTime = squareSum / timeSum;
    }

    private long ageSum(long now) {
        return running * now - startTimeSum;
    }

    int running() {
        return running;
    }

    boolean hasNoCompletions() {
        return timeSum == 0;
    }

    /** The mean time of a task. A running task contributes its age. */
    double meanTime(long now) {
        double tasks = count + running;
        return tasks == 0 ? 0 : (timeSum + ageSum(now)) / tasks;
    }

    /** The mean time of a task, or twice the mean age of running tasks if that is more: on average, a running task is half done. */
    double projectedTime(long now) {
        return Math.max(meanTime(now), running == 0 ? 0 : 2.0 * ageSum(now) / running);
    }

    /**
     * How long a permit is held, as a mean over time: long tasks weigh more than in the mean over tasks. At least the mean age of running
     * tasks. If their ages add up to more than the time of completed tasks, twice the mean age: on average, a running task is half done.
     */
    double holdingTime(long now) {
        double ages = ageSum(now);
        double factor = timeSum < ages ? 2 : 1;
        return factor * ages <= pastHoldingTime * running ? pastHoldingTime : factor * ages / running;
    }
}
