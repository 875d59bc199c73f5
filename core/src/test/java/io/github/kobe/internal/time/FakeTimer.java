package io.github.kobe.internal.time;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Time that passes when a test says so, on its thread; others may look, start and cancel meanwhile. */
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

    /** Lets {@code nanos} pass, and what falls due in them happen. */
    public void advance(long nanos) {
        long until = nanoTime() + nanos;
        for (TimerEntry next = takeDue(until); next != null; next = takeDue(until)) {
            next.fire(); // may let time pass itself
        }
    }

    /** The next that is due by then, and it is that late; if there is none, it is {@code until}. */
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

    /** When the next falls due; {@link Long#MAX_VALUE} if none does. */
    public synchronized long nextDue() {
        Entry next = entries.peek();
        return next == null ? Long.MAX_VALUE : next.due;
    }

    /** How many are to fire yet that are of other kinds. */
    public synchronized int pendingBut(Class<? extends TimerEntry> kind) {
        return (int) entries.stream()
                .filter(entry -> !kind.isInstance(entry.timeout))
                .count();
    }

    /** How many are to fire yet. */
    public synchronized int pending() {
        return entries.size();
    }
}
