package io.github.kobe.soak;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for conditions that must become true. The timeout is so long that no slow machine reaches it. If it is reached, this is a
 * violation, and the threads and the state are printed.
 */
final class Watchdog {

    private static final int MAX_DUMPS = 3;

    private final CheckRecorder recorder;
    private final Duration timeout;
    private final PrintStream log;
    private final AtomicInteger dumps = new AtomicInteger();

    Watchdog(CheckRecorder recorder, Duration timeout, PrintStream log) {
        this.recorder = recorder;
        this.timeout = timeout;
        this.log = log;
    }

    Duration timeout() {
        return timeout;
    }

    /**
     * Waits until the condition is true. This counts as one check of {@code check}. Interrupts are cleared and ignored.
     *
     * @param description names the condition in messages
     * @param diagnostics describes the state if the condition does not become true
     * @return false if the timeout was reached
     */
    boolean await(Check check, String description, BooleanSupplier condition, Supplier<String> diagnostics) {
        long start = System.nanoTime();
        long pause = 10_000;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > timeout.toNanos()) {
                dump(description, diagnostics);
                return recorder.check(
                        check,
                        false,
                        0,
                        () -> "timed out after " + timeout + " while waiting for " + description + "; "
                                + diagnostics.get());
            }
            LockSupport.parkNanos(pause);
            Thread.interrupted();
            pause = Math.min(2_000_000, pause * 2);
        }
        return recorder.check(check, true, 0, () -> "");
    }

    private void dump(String description, Supplier<String> diagnostics) {
        if (dumps.incrementAndGet() > MAX_DUMPS) {
            return;
        }
        log.println("==== watchdog: timeout while waiting for " + description);
        log.println(diagnostics.get());
        log.println(Footprint.threadDump());
        log.println("task threads:" + recorder.taskThreads().stackTraces());
        log.println("==== end of dump");
        log.flush();
    }
}
