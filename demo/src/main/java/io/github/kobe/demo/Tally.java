package io.github.kobe.demo;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What was seen of one group, or of all: counted by the tasks themselves and by the listener, not asked of the executor. */
final class Tally {

    final String name;
    final int limit;

    final AtomicInteger submitted = new AtomicInteger();
    final AtomicInteger done = new AtomicInteger();
    final AtomicInteger cancelled = new AtomicInteger();
    final AtomicInteger rejected = new AtomicInteger();

    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger peak = new AtomicInteger();
    private final AtomicInteger started = new AtomicInteger();
    private final LongAdder waitedNanos = new LongAdder();

    Tally(String name, int limit) {
        this.name = name;
        this.limit = limit;
    }

    /** First thing in a task. */
    void enter(long waited) {
        int now = running.incrementAndGet();
        peak.accumulateAndGet(now, Math::max);
        started.incrementAndGet();
        waitedNanos.add(waited);
    }

    /** Last thing in a task. */
    void exit() {
        running.decrementAndGet();
    }

    int peak() {
        return peak.get();
    }

    boolean limitExceeded() {
        return peak.get() > limit;
    }

    double meanWaitMillis() {
        return started.get() == 0 ? 0 : waitedNanos.sum() / 1e6 / started.get();
    }

    /** Whether every task that was submitted has one end, and only one. */
    boolean addsUp() {
        return submitted.get() == done.get() + cancelled.get() + rejected.get();
    }
}
