package io.github.kobe.internal.time;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A timer whose time a test advances, on the thread of the test. Other threads may read the clock, start and cancel meanwhile.
 */
public final class FakeTimer implements Timer {

    private record Entry(long due, long sequence, TimerEntry timeout) {}

    private final PriorityQueue<Entry> entries =
            new PriorityQueue<>(Comparator.comparingLong(Entry::due).thenComparingLong(Entry::sequence));
    private long now;
    private long sequence;

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public synchronized void start(TimerEntry timeout, long delayNanos) {
        if (entries.stream().anyMatch(entry -> entry.timeout == timeout)) {
            throw new IllegalStateException("started while pending");
        }
        entries.add(new Entry(now + delayNanos, sequence++, timeout));
    }

    @Override
    public synchronized boolean cancel(TimerEntry timeout) {
        return entries.removeIf(entry -> entry.timeout == timeout);
    }

    /** Advances the clock by {@code nanos} and fires all entries that become due. */
    public void advance(long nanos) {
        long until = nanoTime() + nanos;
        for (TimerEntry next = takeDue(until); next != null; next = takeDue(until)) {
            next.fire(); // may advance the clock itself
        }
    }

    /**
     * Removes the next entry that is due by {@code until} and sets the clock to its time. If there is none, sets the clock to
     * {@code until}.
     */
    private synchronized @Nullable TimerEntry takeDue(long until) {
        Entry next = entries.peek();
        if (next == null || next.due > Math.max(now, until)) {
            now = Math.max(now, until);
            return null;
        }
        entries.remove();
        now = Math.max(now, next.due);
        return next.timeout;
    }

    /** When the next entry is due; {@link Long#MAX_VALUE} if there is none. */
    public synchronized long nextDue() {
        Entry next = entries.peek();
        return next == null ? Long.MAX_VALUE : next.due;
    }

    /** The number of pending entries that are not of {@code kind}. */
    public synchronized int pendingBut(Class<? extends TimerEntry> kind) {
        return (int) entries.stream()
                .filter(entry -> !kind.isInstance(entry.timeout))
                .count();
    }

    /** The number of pending entries. */
    public synchronized int pending() {
        return entries.size();
    }
}
