package io.github.kobe.internal;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that passes when a test says so. */
public final class FakeTimer implements Timer {

    private record Entry(long due, long sequence, Timeout timeout) {}

    private final PriorityQueue<Entry> entries =
            new PriorityQueue<>(Comparator.comparingLong(Entry::due).thenComparingLong(Entry::sequence));
    private long now;
    private long sequence;

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public void start(Timeout timeout, long delayNanos) {
        if (entries.stream().anyMatch(entry -> entry.timeout == timeout)) {
            throw new IllegalStateException("started while pending");
        }
        entries.add(new Entry(now + delayNanos, sequence++, timeout));
    }

    @Override
    public boolean cancel(Timeout timeout) {
        return entries.removeIf(entry -> entry.timeout == timeout);
    }

    /** Lets {@code nanos} pass, and what falls due in them happen. */
    public void advance(long nanos) {
        long until = now + nanos;
        for (Entry next = entries.peek(); next != null && next.due <= Math.max(now, until); next = entries.peek()) {
            entries.remove();
            now = Math.max(now, next.due);
            next.timeout.fire(); // may let time pass itself
        }
        now = Math.max(now, until);
    }

    /** When the next falls due; {@link Long#MAX_VALUE} if none does. */
    long nextDue() {
        Entry next = entries.peek();
        return next == null ? Long.MAX_VALUE : next.due;
    }

    /** How many are to fire yet that are of other kinds. */
    int pendingBut(Class<? extends Timeout> kind) {
        return (int) entries.stream()
                .filter(entry -> !kind.isInstance(entry.timeout))
                .count();
    }

    /** How many are to fire yet. */
    public int pending() {
        return entries.size();
    }
}
