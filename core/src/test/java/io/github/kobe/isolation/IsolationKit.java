package io.github.kobe.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;

/** Helpers for the tests of this package: an executor on real threads, with a clock that a test advances. */
final class IsolationKit {

    static final Duration PATIENCE = Duration.ofSeconds(15);
    static final IsolationPolicy DEFAULTS = IsolationPolicy.builder().build();
    static final long TARGET_NANOS = DEFAULTS.targetWait().toNanos();

    /** How long a task takes that makes its key slow under {@link #SLOW_BY_COMPLETION}. */
    static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(4700);

    /**
     * A key becomes slow when its task of {@link #SLOW_NANOS} completes, not before: ages are checked every second, so no check comes between
     * the threshold and the completion.
     */
    static final IsolationPolicy SLOW_BY_COMPLETION =
            IsolationPolicy.builder().slowThreshold(Duration.ofMillis(4500)).build();

    static final CapacityPolicy.ChangeListener NO_CHANGE_LISTENER = new CapacityPolicy.ChangeListener() {
        @Override
        public void laneChanged(String key, boolean slow) {}

        @Override
        public void reserveChanged(int from, int to) {}
    };

    private IsolationKit() {}

    static IsolationExecutor executor(Clock clock, UnaryOperator<IsolationPolicy.Builder> settings) {
        return IsolationExecutor.create(
                settings.apply(IsolationPolicy.builder()).build(), TaskRunner.freshVirtualThreads(), clock);
    }

    static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("the latch was released in time")
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void eventually(ThrowingRunnable assertion) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .untilAsserted(assertion);
    }

    /** A thread-safe clock that a test advances. */
    static final class Clock implements Timer {

        private record Entry(long due, TimerEntry timeout) {}

        private final List<Entry> entries = new ArrayList<>();
        private volatile long now = 1;

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public synchronized void start(TimerEntry timeout, long delayNanos) {
            entries.add(new Entry(now + delayNanos, timeout));
        }

        @Override
        public synchronized boolean cancel(TimerEntry timeout) {
            return entries.removeIf(entry -> entry.timeout == timeout);
        }

        void advance(Duration time) {
            long until = now + time.toNanos();
            for (Entry next = next(until); next != null; next = next(until)) {
                now = Math.max(now, next.due);
                next.timeout.fire();
            }
            now = until;
        }

        private synchronized Entry next(long until) {
            Entry next = null;
            for (Entry entry : entries) {
                if (entry.due <= until && (next == null || entry.due < next.due)) {
                    next = entry;
                }
            }
            entries.remove(next);
            return next;
        }
    }

    /** A task that runs until it is released, and records its lane. */
    static final class BlockingTask implements Callable<Lane> {

        final CountDownLatch started = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        volatile Lane lane;

        /** Submits a task and waits until it runs. */
        static BlockingTask in(IsolationExecutor executor, String key) {
            BlockingTask blocker = new BlockingTask();
            executor.submit(key, blocker);
            IsolationKit.await(blocker.started);
            return blocker;
        }

        @Override
        public Lane call() throws InterruptedException {
            lane = IsolationExecutor.currentLane();
            started.countDown();
            released.await();
            return lane;
        }

        boolean hasStarted() {
            return started.getCount() == 0;
        }

        void release() {
            released.countDown();
        }
    }
}
