package io.github.kobe.soak;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for what must come. How long it takes is not asked; only when it has not come after so long that it never will, that is a
 * violation, and the threads and the state are written down.
 */
final class Watchdog {

    private static final int MOST_DUMPS = 3;

    private final Recorder book;
    private final Duration limit;
    private final PrintStream log;
    private final AtomicInteger dumps = new AtomicInteger();

    Watchdog(Recorder book, Duration limit, PrintStream log) {
        this.book = book;
        this.limit = limit;
        this.log = log;
    }

    Duration limit() {
        return limit;
    }

    /** Waits until it comes; counts as one check of {@code check}. Returns whether it came. */
    boolean await(Check check, String what, BooleanSupplier come, Supplier<String> state) {
        long since = System.nanoTime();
        long step = 10_000;
        while (!come.getAsBoolean()) {
            if (System.nanoTime() - since > limit.toNanos()) {
                dump(what, state);
                return book.check(check, false, 0, () -> what + " did not come within " + limit + "; " + state.get());
            }
            LockSupport.parkNanos(step);
            Thread.interrupted();
            step = Math.min(2_000_000, step * 2);
        }
        return book.check(check, true, 0, () -> "");
    }

    private void dump(String what, Supplier<String> state) {
        if (dumps.incrementAndGet() > MOST_DUMPS) {
            return;
        }
        log.println("==== watchdog: " + what + " does not come");
        log.println(state.get());
        log.println(Footprint.dumpOfThreads());
        log.println("threads of tasks:" + book.roster().stacks());
        log.println("==== end of the dump");
        log.flush();
    }
}
