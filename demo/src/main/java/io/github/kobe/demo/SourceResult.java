package io.github.kobe.demo;

import java.util.List;

/**
 * The result of one source on one executor.
 *
 * @param source the source
 * @param waits its waits; those that were unfinished at the end come last
 * @param submitted the number of submitted tasks or requests
 * @param completed the number of completed tasks or calls
 * @param peak the largest number of them that ran at the same time
 * @param startedBeyondLimit how many started although the limit was already reached
 * @param runSeconds how long they ran, summed up
 * @param orphaned the number of calls that still ran after their request had been answered
 * @param runningOrphans how many of those ran at the end
 * @param orphanSeconds how long orphans ran, summed up
 */
record SourceResult(
        Source source,
        List<WaitSample> waits,
        int submitted,
        int completed,
        int peak,
        int startedBeyondLimit,
        double runSeconds,
        int orphaned,
        int runningOrphans,
        double orphanSeconds) {

    /** Returns the number of waits that were unfinished at the end. */
    long unfinished() {
        return waits.stream().filter(wait -> !wait.finished()).count();
    }
}
