package io.github.kobe.demo;

import java.util.List;

/**
 * What the live view shows.
 *
 * @param elapsedMillis the time since the start
 * @param lengthMillis the length of the run
 * @param plain the plain executor
 * @param library the executor of this library
 * @param peakRunning the largest number so far in the columns of running tasks; it scales the bars
 * @param peakPending the largest number so far in the columns of waiting tasks or orphaned calls
 */
record Snapshot(
        long elapsedMillis,
        long lengthMillis,
        ExecutorView plain,
        ExecutorView library,
        int peakRunning,
        int peakPending) {

    /**
     * One source on one executor.
     *
     * @param name the source
     * @param running the number of running tasks or calls
     * @param pending the number of waiting tasks, or of orphaned calls
     * @param waitMillis the longest recent wait
     */
    record Row(String name, int running, int pending, double waitMillis) {}

    /** One executor; {@code focusP99} is the 99th percentile so far of the sources that the scenario is about. */
    record ExecutorView(String title, List<Row> rows, double focusP99) {

        int running() {
            return rows.stream().mapToInt(Row::running).sum();
        }

        int pending() {
            return rows.stream().mapToInt(Row::pending).sum();
        }
    }
}
