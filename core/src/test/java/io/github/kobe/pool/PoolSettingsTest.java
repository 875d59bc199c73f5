package io.github.kobe.pool;

import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Are settings checked, with name and value in the message, and what are the defaults? */
class PoolSettingsTest {

    @Test
    void minAboveMaxNamesBoth() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> WorkerPool.builder().minWorkers(5).maxWorkers(3).build())
                .withMessageContaining("minWorkers is 5")
                .withMessageContaining("maxWorkers is 3");
    }

    @Test
    void zeroAndNegativeNumbersOfWorkersNameBoth() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> WorkerPool.builder().minWorkers(0).maxWorkers(7).build())
                .withMessageContaining("minWorkers is 0")
                .withMessageContaining("maxWorkers is 7");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WorkerPool.builder().maxWorkers(-2).build())
                .withMessageContaining("minWorkers is 1")
                .withMessageContaining("maxWorkers is -2");
    }

    @Test
    void otherSettingsOutOfRangeAreNamed() {
        WorkerPoolBuilder b = WorkerPool.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> b.queueCapacity(-1).build())
                .withMessageContaining("queueCapacity")
                .withMessageContaining("-1");
        WorkerPoolBuilder c = WorkerPool.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> c.keepAlive(Duration.ofMillis(-3)).build())
                .withMessageContaining("keepAlive");
        WorkerPoolBuilder d = WorkerPool.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> d.sizing(Sizing.UTILIZATION, 1.5).build())
                .withMessageContaining("utilization")
                .withMessageContaining("1.5");
        WorkerPoolBuilder e = WorkerPool.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> e.maxZombies(-1).build())
                .withMessageContaining("maxZombies");
        WorkerPoolBuilder f = WorkerPool.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> f.priorityAgeing(Duration.ZERO).build())
                .withMessageContaining("priorityAgeing");
        WorkerPoolBuilder g = WorkerPool.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> g.grace(Duration.ofNanos(-1)).build())
                .withMessageContaining("grace");
        WorkerPoolBuilder h = WorkerPool.builder();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> h.maxBlockTime(Duration.ofNanos(-1)).build())
                .withMessageContaining("maxBlockTime");
    }

    @Test
    void nothingMayBeNull() {
        assertThatNullPointerException().isThrownBy(() -> WorkerPool.builder().name(null));
        assertThatNullPointerException().isThrownBy(() -> WorkerPool.builder().keepAlive(null));
        assertThatNullPointerException().isThrownBy(() -> WorkerPool.builder().rejectionPolicy(null));
        assertThatNullPointerException().isThrownBy(() -> WorkerPool.builder().threads((ThreadKind) null));
        assertThatNullPointerException().isThrownBy(() -> WorkerPool.builder().recovery(null));
    }

    @Test
    void defaultIsOneWorker() {
        try (WorkerPool pool = WorkerPool.builder().build()) {
            assertThat(pool.stats().minWorkers()).isEqualTo(1);
            assertThat(pool.stats().maxWorkers()).isEqualTo(1);
        }
        try (WorkerPool pool = WorkerPool.builder().minWorkers(3).build()) {
            assertThat(pool.stats().maxWorkers()).isEqualTo(3);
        }
    }

    @Test
    void workersAreDaemonPlatformThreadsNamedAfterThePool() {
        try (WorkerPool pool = WorkerPool.builder().name("mill").build()) {
            Thread worker = resultOf(pool.submit(Thread::currentThread)).value();
            assertThat(worker.isVirtual()).isFalse();
            assertThat(worker.isDaemon()).isTrue();
            assertThat(worker.getName()).startsWith("mill-");
        }
    }

    @Test
    void virtualThreadsAndFactoriesAreSupported() {
        try (WorkerPool pool =
                WorkerPool.builder().threads(ThreadKind.VIRTUAL).name("mill").build()) {
            Thread worker = resultOf(pool.submit(Thread::currentThread)).value();
            assertThat(worker.isVirtual()).isTrue();
            assertThat(worker.getName()).startsWith("mill-");
        }
        try (WorkerPool pool =
                WorkerPool.builder().threads(work -> new Thread(work, "mine")).build()) {
            assertThat(resultOf(pool.submit(() -> Thread.currentThread().getName()))
                            .value())
                    .isEqualTo("mine");
        }
    }

    @Test
    void workerInheritsNothingFromTheThreadThatStartsIt() {
        InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
        local.set("the submitter's");
        try (WorkerPool pool = WorkerPool.builder().build()) {
            assertThat(resultOf(pool.submit(local::get)).value()).isNull();
        } finally {
            local.remove();
        }
    }

    @Test
    void unusedPoolHasNoThreads() {
        try (WorkerPool pool = WorkerPool.builder().minWorkers(4).build()) {
            assertThat(pool.stats().workers()).isZero();
        }
    }

    @Test
    void failureToStartAThreadFailsTheTaskAndNotThePool() {
        int[] refusals = {1};
        try (WorkerPool pool = WorkerPool.builder()
                .threads(work -> {
                    if (refusals[0]-- > 0) {
                        throw new IllegalStateException("no thread");
                    }
                    return new Thread(work);
                })
                .build()) {
            assertThat(pool.submit(() -> "ran").join(30, TimeUnit.SECONDS).error())
                    .hasMessage("no thread");
            assertThat(resultOf(pool.submit(() -> "ran")).value()).isEqualTo("ran");
        }
    }
}
