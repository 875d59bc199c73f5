package io.github.kobe.internal.kernel;

import io.github.kobe.internal.stats.Histogram;

/**
 * Histograms of how long tasks were queued, and how long they held their permits. One object, so that a container whose times are not
 * recorded has one null reference instead.
 */
final class TaskTimes {

    private final Histogram waiting = new Histogram();
    private final Histogram running = new Histogram();

    void record(long waited, long ran) {
        waiting.record(waited);
        running.record(ran);
    }

    void addTo(TaskTimes other) {
        waiting.addTo(other.waiting);
        running.addTo(other.running);
    }

    Histogram waiting() {
        return waiting;
    }

    Histogram running() {
        return running;
    }
}
