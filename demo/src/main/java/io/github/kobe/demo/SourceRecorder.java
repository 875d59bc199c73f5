package io.github.kobe.demo;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Records what happens to the work of one source on one executor. The work reports its own events; no executor is asked for its
 * statistics.
 *
 * <p>A submission waits until {@link #waitFinished}: a task until it starts, a request until it is answered. Independently of that, tasks
 * or calls run. A call that still runs after its request has been answered is an orphan. After {@link #freeze} all events are ignored.
 *
 * <p>Thread-safe: every method holds the monitor.
 */
final class SourceRecorder {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    /** The live view shows the longest wait of this period. */
    private static final double RECENT_MILLIS = 1000;

    /** A wait that has started. Compared by identity. */
    static final class Wait {
        private final long startNanos;

        private Wait(long startNanos) {
            this.startNanos = startNanos;
        }
    }

    private final Source source;
    private final LongSupplier clock;
    private final long origin;
    private final Set<Wait> waiting = new LinkedHashSet<>();
    private final List<WaitSample> finishedWaits = new ArrayList<>();
    private long lastChange;
    private int submitted;
    private int running;
    private int completed;
    private int peakWaiting;
    private int peakRunning;
    private int startedBeyondLimit;
    private int runningOrphans;
    private int orphaned;
    private int peakOrphans;
    private double runNanos;
    private double orphanNanos;
    private boolean frozen;

    SourceRecorder(Source source, LongSupplier clock, long origin) {
        this.source = source;
        this.clock = clock;
        this.origin = origin;
        this.lastChange = origin;
    }

    synchronized Wait submitted() {
        Wait wait = new Wait(clock.getAsLong());
        if (!frozen) {
            waiting.add(wait);
            submitted++;
            peakWaiting = Math.max(peakWaiting, waiting.size());
        }
        return wait;
    }

    synchronized void waitFinished(Wait wait) {
        if (!frozen && waiting.remove(wait)) {
            finishedWaits.add(sample(wait, clock.getAsLong(), true));
        }
    }

    private WaitSample sample(Wait wait, long now, boolean finished) {
        return new WaitSample(millis(wait.startNanos - origin), millis(now - wait.startNanos), finished);
    }

    synchronized void started() {
        addElapsedTime();
        running++;
        peakRunning = Math.max(peakRunning, running);
        if (running > source.limit() && !frozen) {
            startedBeyondLimit++;
        }
    }

    synchronized void completed() {
        addElapsedTime();
        running--;
        completed++;
    }

    /** Turns running calls into orphans. */
    synchronized void orphaned(int calls) {
        addElapsedTime();
        running -= calls;
        runningOrphans += calls;
        orphaned += frozen ? 0 : calls;
        peakOrphans = Math.max(peakOrphans, runningOrphans);
    }

    synchronized void orphanCompleted() {
        addElapsedTime();
        runningOrphans--;
    }

    /** Adds the time since the last change to the run time of everything that runs. */
    private void addElapsedTime() {
        long now = clock.getAsLong();
        if (!frozen) {
            runNanos += (double) running * (now - lastChange);
            orphanNanos += (double) runningOrphans * (now - lastChange);
        }
        lastChange = now;
    }

    /** Returns the current state, with the longest wait that is going on or has finished within the last second. */
    synchronized Snapshot.Row view(boolean orphans) {
        long now = clock.getAsLong();
        Iterator<Wait> oldest = waiting.iterator();
        double wait = oldest.hasNext() ? millis(now - oldest.next().startNanos) : 0;
        double from = millis(now - origin) - RECENT_MILLIS;
        for (int i = finishedWaits.size() - 1; i >= 0 && finishedWaits.get(i).endMillis() >= from; i--) {
            wait = Math.max(wait, finishedWaits.get(i).waitMillis());
        }
        return new Snapshot.Row(source.name(), running, orphans ? runningOrphans : waiting.size(), wait);
    }

    synchronized int peakRunning() {
        return peakRunning;
    }

    synchronized int peakPending(boolean orphans) {
        return orphans ? peakOrphans : peakWaiting;
    }

    synchronized void addFinishedWaits(List<WaitSample> to) {
        to.addAll(finishedWaits);
    }

    /** Returns the result. A wait that is still going on counts with the time so far. */
    synchronized SourceResult freeze() {
        addElapsedTime();
        frozen = true;
        List<WaitSample> waits = new ArrayList<>(finishedWaits);
        waiting.forEach(wait -> waits.add(sample(wait, lastChange, false)));
        return new SourceResult(
                source,
                List.copyOf(waits),
                submitted,
                completed,
                peakRunning,
                startedBeyondLimit,
                runNanos / NANOS_PER_SECOND,
                orphaned,
                runningOrphans,
                orphanNanos / NANOS_PER_SECOND);
    }

    private static double millis(long nanos) {
        return nanos / NANOS_PER_MILLI;
    }
}
