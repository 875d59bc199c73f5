package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The heap of a million pending timeouts, including everything that the timer keeps for them, and the number of timer threads. */
final class PendingTimeouts {

    private static final int TIMEOUTS = 1_000_000;
    private static final long FIRST_DELAY_NANOS = TimeUnit.MINUTES.toNanos(30);
    private static final long INTERVAL_NANOS = TimeUnit.HOURS.toNanos(1) / TIMEOUTS;
    private static final String TIMER_THREAD = "group-concurrency-timer";
    private static final String NAME = "heap per pending timeout, of 1,000,000";

    private static final class EmptyTimeout extends TimerEntry {
        @Override
        public void fire() {}
    }

    private record Measured(double bytesPerTimeout, long timerThreads) {}

    private PendingTimeouts() {}

    static List<Row> rows(RunLength length) {
        int rounds = length.pick(5, 1);
        double[] bytes = new double[rounds];
        double[] threads = new double[rounds];
        measure(); // a warm-up
        for (int round = 0; round < rounds; round++) {
            Measured measured = measure();
            bytes[round] = measured.bytesPerTimeout;
            threads[round] = measured.timerThreads;
        }
        return List.of(
                new Row(NAME, Unit.BYTES, null, Quartiles.of(bytes), Promise.atMost(100)),
                new Row(
                        "timer threads for 1,000,000 pending timeouts",
                        Unit.THREADS,
                        null,
                        Quartiles.of(threads),
                        Promise.atMost(1)));
    }

    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return List.of(new LibraryWorkload(NAME, Unit.BYTES, () -> measure().bytesPerTimeout).withFewRounds());
    }

    private static Measured measure() {
        Timer timer = SystemTimer.shared();
        TimerEntry[] pending = new TimerEntry[TIMEOUTS]; // allocated before both measurements, so it does not count
        long before = Heap.usedAfterGc();
        try {
            for (int i = 0; i < TIMEOUTS; i++) {
                pending[i] = new EmptyTimeout();
                timer.start(pending[i], FIRST_DELAY_NANOS + i * INTERVAL_NANOS);
            }
            return new Measured((Heap.usedAfterGc() - before) / (double) TIMEOUTS, timerThreads());
        } finally {
            Reference.reachabilityFence(pending);
            for (TimerEntry timeout : pending) {
                if (timeout != null) {
                    timer.cancel(timeout);
                }
            }
        }
    }

    private static long timerThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(TIMER_THREAD))
                .count();
    }
}
