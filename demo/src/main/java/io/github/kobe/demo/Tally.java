package io.github.kobe.demo;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * What was seen of one role on one side, counted by the work itself and not asked of any executor.
 *
 * <p>Who has arrived is open until it is settled: a task when it starts, a request when it is answered. Beside that, parts of work run;
 * those that still run when nobody waits for them any more have leaked. After {@link #freeze} nothing changes.
 */
final class Tally {

    private static final double NANOS_PER_MILLI = 1e6;
    private static final double NANOS_PER_SECOND = 1e9;

    /** How far back the live picture looks for the longest wait. */
    private static final double RECENT_MILLIS = 1000;

    /** Somebody who has arrived; each is only equal to itself. */
    static final class Entry {
        private final long since;

        private Entry(long since) {
            this.since = since;
        }
    }

    private final Role role;
    private final LongSupplier clock;
    private final long origin;
    private final Set<Entry> open = new LinkedHashSet<>();
    private final List<Sample> samples = new ArrayList<>();
    private long lastChange;
    private int arrived;
    private int running;
    private int ended;
    private int peakOpen;
    private int peakRunning;
    private int beyondLimit;
    private int leaking;
    private int leaked;
    private int peakLeaking;
    private double busyNanos;
    private double leakedNanos;
    private boolean frozen;

    Tally(Role role, LongSupplier clock, long origin) {
        this.role = role;
        this.clock = clock;
        this.origin = origin;
        this.lastChange = origin;
    }

    synchronized Entry arrive() {
        Entry entry = new Entry(clock.getAsLong());
        if (!frozen) {
            open.add(entry);
            arrived++;
            peakOpen = Math.max(peakOpen, open.size());
        }
        return entry;
    }

    synchronized void settle(Entry entry) {
        if (!frozen && open.remove(entry)) {
            samples.add(sample(entry, clock.getAsLong(), true));
        }
    }

    private Sample sample(Entry entry, long now, boolean settled) {
        return new Sample(millis(entry.since - origin), millis(now - entry.since), settled);
    }

    synchronized void begin() {
        pass();
        running++;
        peakRunning = Math.max(peakRunning, running);
        if (running > role.limit() && !frozen) {
            beyondLimit++;
        }
    }

    synchronized void end() {
        pass();
        running--;
        ended++;
    }

    /** So many of those that run are no use to anybody from now on. */
    synchronized void leak(int parts) {
        pass();
        running -= parts;
        leaking += parts;
        leaked += frozen ? 0 : parts;
        peakLeaking = Math.max(peakLeaking, leaking);
    }

    synchronized void endLeaked() {
        pass();
        leaking--;
    }

    /** Books the time since the last change to those who have run since. */
    private void pass() {
        long now = clock.getAsLong();
        if (!frozen) {
            busyNanos += (double) running * (now - lastChange);
            leakedNanos += (double) leaking * (now - lastChange);
        }
        lastChange = now;
    }

    /** The longest wait of those who wait now, or were settled within the last second. */
    synchronized Snapshot.Line line(boolean leaks) {
        long now = clock.getAsLong();
        Iterator<Entry> oldest = open.iterator();
        double wait = oldest.hasNext() ? millis(now - oldest.next().since) : 0;
        double from = millis(now - origin) - RECENT_MILLIS;
        for (int i = samples.size() - 1; i >= 0 && samples.get(i).settledMillis() >= from; i--) {
            wait = Math.max(wait, samples.get(i).waitedMillis());
        }
        return new Snapshot.Line(role.name(), running, leaks ? leaking : open.size(), wait);
    }

    synchronized int peakRunning() {
        return peakRunning;
    }

    synchronized int peakHeld(boolean leaks) {
        return leaks ? peakLeaking : peakOpen;
    }

    synchronized void addWaits(List<Sample> to) {
        to.addAll(samples);
    }

    /** The end: who is still open counts with the wait so far. */
    synchronized RowOutcome freeze() {
        pass();
        frozen = true;
        List<Sample> all = new ArrayList<>(samples);
        open.forEach(entry -> all.add(sample(entry, lastChange, false)));
        return new RowOutcome(
                role,
                List.copyOf(all),
                arrived,
                ended,
                peakRunning,
                beyondLimit,
                busyNanos / NANOS_PER_SECOND,
                leaked,
                leaking,
                leakedNanos / NANOS_PER_SECOND);
    }

    private static double millis(long nanos) {
        return nanos / NANOS_PER_MILLI;
    }
}
