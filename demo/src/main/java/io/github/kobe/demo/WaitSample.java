package io.github.kobe.demo;

/**
 * One wait: of a task until it started, or of a request until it was answered.
 *
 * @param startMillis when the wait started, from the start of the run
 * @param waitMillis how long it took
 * @param finished false if the wait was still going on at the end of the run, so that it would have become longer
 */
record WaitSample(double startMillis, double waitMillis, boolean finished) {

    double endMillis() {
        return startMillis + waitMillis;
    }
}
