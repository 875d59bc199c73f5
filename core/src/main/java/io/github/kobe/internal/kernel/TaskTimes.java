package io.github.kobe.internal.kernel;

import io.github.kobe.internal.stats.Histogram;

/** How long tickets waited, and how long they held their places. */
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
