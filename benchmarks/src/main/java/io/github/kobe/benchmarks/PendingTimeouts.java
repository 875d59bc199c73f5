package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a million timeouts cost while they wait: memory, all that the timer keeps included, and threads. */
final class PendingTimeouts {

    private static final int TIMEOUTS = 1_000_000;
    private static final long SOONEST = TimeUnit.MINUTES.toNanos(30);
    private static final long APART = TimeUnit.HOURS.toNanos(1) / TIMEOUTS;
    private static final String TIMER_THREAD = "group-concurrency-timer";

    private static final class Plain extends TimerEntry {
        @Override
        public void fire() {}
    }

    private PendingTimeouts() {}

    static List<Row> rows(Effort effort) {
        int rounds = effort.of(5, 1);
        double[] bytes = new double[rounds];
        double[] threads = new double[rounds];
        for (int round = -1; round < rounds; round++) { // the first is overwritten
            measure(bytes, threads, Math.max(0, round));
        }
        return List.of(
                new Row(
                        "heap per pending timeout, of a million",
                        Unit.BYTES,
                        null,
                        Spread.of(bytes),
                        Promise.atMost(100)),
                new Row("timer threads for them", Unit.COUNT, null, Spread.of(threads), Promise.atMost(1)));
    }

    private static void measure(double[] bytes, double[] threads, int round) {
        Timer timer = SystemTimer.shared();
        TimerEntry[] pending = new TimerEntry[TIMEOUTS]; // there before and after, so it does not count
        long before = Heap.settled();
        try {
            for (int i = 0; i < TIMEOUTS; i++) {
                pending[i] = new Plain();
                timer.start(pending[i], SOONEST + i * APART);
            }
            bytes[round] = (Heap.settled() - before) / (double) TIMEOUTS;
            threads[round] = timerThreads();
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
