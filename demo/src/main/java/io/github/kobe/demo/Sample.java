package io.github.kobe.demo;

/**
 * One wait.
 *
 * @param atMillis when it began, from the start
 * @param waitedMillis how long it took
 * @param settled whether it was over; if not, it would have been longer
 */
record Sample(double atMillis, double waitedMillis, boolean settled) {

    double settledMillis() {
        return atMillis + waitedMillis;
    }
}
