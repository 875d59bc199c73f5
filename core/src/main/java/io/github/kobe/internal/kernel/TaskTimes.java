package io.github.kobe.internal.kernel;

import io.github.kobe.internal.stats.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * How long tasks were queued, and how long they held their permits. One object, so that a container whose times are not recorded has one
 * null reference instead.
 *
 * <p>Most tasks do not wait. Such a task is recorded in one histogram, by the time for which it held its permit: that it waited for 0 ns follows
 * from where it is. The histograms of the other tasks are created for the first one that waited.
 */
final class TaskTimes {

    private final Histogram ranAtOnce = new Histogram();
    private volatile @Nullable Queued queued; // written under the monitor, once

    /** The times of tasks that were queued. */
    private record Queued(Histogram waited, Histogram ran) {}

    void record(long waited, long ran) {
        if (waited <= 0) {
            ranAtOnce.record(ran);
        } else {
            Queued times = queued();
            times.waited.record(waited);
            times.ran.record(ran);
        }
    }

    private Queued queued() {
        Queued known = queued;
        return known == null ? createQueued() : known;
    }

    private synchronized Queued createQueued() {
        Queued known = queued;
        if (known == null) {
            known = new Queued(new Histogram(), new Histogram());
            queued = known;
        }
        return known;
    }

    void addTo(TaskTimes other) {
        ranAtOnce.addTo(other.ranAtOnce);
        Queued known = queued;
        if (known != null) {
            known.waited.addTo(other.queued().waited);
            known.ran.addTo(other.queued().ran);
        }
    }

    /** Adds to {@code sum} how long tasks were queued. */
    void addWaitingTo(Histogram sum) {
        ranAtOnce.addZerosTo(sum);
        Queued known = queued;
        if (known != null) {
            known.waited.addTo(sum);
        }
    }

    /** Adds to {@code sum} how long tasks held their permits. */
    void addRunningTo(Histogram sum) {
        ranAtOnce.addTo(sum);
        Queued known = queued;
        if (known != null) {
            known.ran.addTo(sum);
        }
    }
}
