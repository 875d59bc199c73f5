package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.pool.WorkerPool;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.binder.jvm.ExecutorServiceMetrics;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Do the meters of a pool show what it does, under the names that Micrometer gives to those of thread pools? */
class WorkerPoolMetricsTest {

    private final MockClock clock = new MockClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    private final Values values = new Values(registry);

    private double executor(String name) {
        return registry.get("executor." + name).tags("name", "p").gauge().value();
    }

    private double completed() {
        return registry.get("executor.completed").functionCounter().count();
    }

    private void nextScrape() {
        clock.add(Duration.ofSeconds(1));
    }

    @Test
    void metersShowTheState() throws Exception {
        try (WorkerPool pool = WorkerPool.builder()
                .name("p")
                .minWorkers(1)
                .maxWorkers(2)
                .queueCapacity(3)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .build()) {
            WorkerPoolMetrics metrics = WorkerPoolMetrics.monitor(registry, pool);
            pool.submit(() -> 1).join();
            List<Blocker> blockers = List.of(new Blocker(), new Blocker());
            for (Blocker blocker : blockers) {
                pool.submit(blocker);
                blocker.awaitStarted();
            }
            pool.submit(() -> 1);
            assertThat(executor("active")).isEqualTo(2);
            assertThat(executor("queued")).isEqualTo(1);
            assertThat(executor("queue.remaining")).isEqualTo(2);
            assertThat(executor("pool.size")).isEqualTo(2);
            assertThat(executor("pool.core")).isEqualTo(1);
            assertThat(executor("pool.max")).isEqualTo(2);
            assertThat(completed()).isEqualTo(1);
            assertThat(values.gauge("pool.busy")).isBetween(0.0, 1.0);
            assertThat(values.gauge("pool.zombies")).isZero();
            pool.submit(() -> 1);
            pool.submit(() -> 1);
            pool.submit(() -> 1).join();
            nextScrape();
            assertThat(executor("queue.remaining")).isZero();
            assertThat(values.count("pool.rejected")).isEqualTo(1);
            blockers.forEach(Blocker::release);
            metrics.close();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    @Test
    void namesTypesUnitsAndTagsAreThoseOfMicrometer() {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(5));
        SimpleMeterRegistry theirs = new SimpleMeterRegistry();
        ExecutorService timed = ExecutorServiceMetrics.monitor(theirs, threads, "p");
        try (WorkerPool pool =
                WorkerPool.builder().name("p").maxWorkers(1).queueCapacity(5).build()) {
            WorkerPoolMetrics.builder(pool).timers(true).build().bindTo(registry);
            assertThat(ids(theirs)).containsAll(ids(registry)).hasSizeGreaterThanOrEqualTo(8);
            assertThat(ids(registry)).hasSize(8);
        } finally {
            timed.shutdownNow();
        }
    }

    private static Set<String> ids(SimpleMeterRegistry registry) {
        return registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().startsWith("executor"))
                .map(id -> id.getName() + " " + id.getType() + " " + id.getBaseUnit() + " " + id.getTags())
                .collect(Collectors.toSet());
    }

    @Test
    void anUnlimitedQueueHasNoRemainingSpace() {
        try (WorkerPool pool = WorkerPool.builder().name("p").maxWorkers(1).build()) {
            WorkerPoolMetrics.monitor(registry, pool);
            executor("queued");
            assertThat(registry.find("executor.queue.remaining").gauge()).isNull();
            pool.setQueueCapacity(7);
            nextScrape();
            executor("queued");
            assertThat(executor("queue.remaining")).isEqualTo(7);
        }
    }

    @Test
    void countsContinueAfterARestart() throws Exception {
        WorkerPool pool = WorkerPool.builder()
                .name("p")
                .maxWorkers(1)
                .grace(Duration.ofMillis(1))
                .build();
        WorkerPoolMetrics.monitor(registry, pool);
        try (pool) {
            CountDownLatch hang = new CountDownLatch(1);
            replaceAWorker(pool, hang);
            nextScrape();
            assertThat(values.count("pool.replaced")).isEqualTo(1);
            assertThat(values.count("pool.timeouts")).isEqualTo(1);
            assertThat(values.gauge("pool.zombies")).isEqualTo(1);
            hang.countDown();
            await().until(() -> pool.stats().zombies() == 0);
            assertThat(pool.shutdown(Duration.ofMinutes(1))).isTrue();
            pool.restart();
            nextScrape();
            assertThat(values.count("pool.replaced")).isEqualTo(1);
            CountDownLatch hangAgain = new CountDownLatch(1);
            replaceAWorker(pool, hangAgain);
            nextScrape();
            assertThat(values.count("pool.replaced")).isEqualTo(2);
            assertThat(values.count("pool.timeouts")).isEqualTo(2);
            assertThat(completed()).isEqualTo(2);
            hangAgain.countDown();
        }
    }

    /** Runs a task that ignores its interrupt. */
    private static void replaceAWorker(WorkerPool pool, CountDownLatch hang) {
        TaskHandle<Boolean> handle = pool.submit(
                () -> {
                    try {
                        return hang.await(1, TimeUnit.MINUTES);
                    } catch (InterruptedException e) {
                        return hang.await(1, TimeUnit.MINUTES); // it does not react to its timeout
                    }
                },
                TaskOptions.builder().timeout(Duration.ofMillis(1)).build());
        handle.join();
        await().until(() -> pool.stats().replaced() == 1);
    }

    @Test
    void theTimerShowsTheWait() throws Exception {
        try (WorkerPool pool = WorkerPool.builder().name("p").maxWorkers(1).build()) {
            WorkerPoolMetrics.builder(pool).timers(true).build().bindTo(registry);
            Blocker blocker = new Blocker();
            pool.submit(blocker);
            blocker.awaitStarted();
            TaskHandle<Integer> queued = pool.submit(() -> 1);
            await().until(() -> pool.stats().oldestWaiting().isPositive());
            blocker.release();
            queued.join();
            var idle = registry.get("executor.idle").timer();
            assertThat(idle.count()).isEqualTo(2);
            assertThat(Math.round(idle.max(TimeUnit.NANOSECONDS)))
                    .isEqualTo(queued.join().waited().toNanos());
        }
    }

    @Test
    void aPoolOfTheSameNameIsRefused() {
        try (WorkerPool first = WorkerPool.builder().name("p").maxWorkers(1).build();
                WorkerPool second = WorkerPool.builder().name("p").maxWorkers(1).build()) {
            WorkerPoolMetrics.monitor(registry, first);
            assertThatThrownBy(() -> WorkerPoolMetrics.monitor(registry, second))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("name=p");
        }
    }

    @Test
    void metersDoNotKeepThePoolAndLeaveWithIt() {
        WeakReference<WorkerPool> weak = bindAndForget();
        await().until(() -> {
            System.gc();
            return weak.get() == null;
        });
        nextScrape();
        completed();
        assertThat(registry.getMeters()).isEmpty();
    }

    private WeakReference<WorkerPool> bindAndForget() {
        WorkerPool pool = WorkerPool.builder().name("p").maxWorkers(1).build();
        WorkerPoolMetrics.builder(pool).timers(true).build().bindTo(registry);
        pool.submit(() -> 1).join();
        pool.close();
        return new WeakReference<>(pool);
    }
}
