package io.github.kobe.pool;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Does an effect of one task reach the next one on the same worker? */
class CleanWorkersTest {

    private static final int VICTIMS = 4000;

    @Test
    void interruptFlagThatATaskLeavesBehindIsClearForTheNext() {
        try (WorkerPool pool = WorkerPool.builder().build()) {
            TaskHandle<?> first =
                    pool.submit((Runnable) () -> Thread.currentThread().interrupt());
            TaskHandle<Boolean> second =
                    pool.submit(() -> Thread.currentThread().isInterrupted());
            resultOf(first);
            assertThat(resultOf(second).value()).isFalse();
        }
    }

    @Test
    void interruptOfAnIdleWorkerIsClearForTheNextTask() {
        try (WorkerPool pool = WorkerPool.builder().build()) {
            for (int i = 0; i < 20; i++) {
                Thread worker = resultOf(pool.submit(Thread::currentThread)).value();
                eventually(() -> assertThat(pool.stats().activeWorkers()).isZero());
                worker.interrupt();
                assertThat(resultOf(pool.submit(() -> Thread.currentThread().isInterrupted()))
                                .value())
                        .isFalse();
            }
        }
    }

    /** A thread whose interrupt can be paused. */
    private static final class PausedInterrupt extends Thread {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        final CountDownLatch done = new CountDownLatch(1);

        PausedInterrupt(Runnable work) {
            super(work);
        }

        @Override
        public void interrupt() {
            entered.countDown();
            TestKit.await(goOn);
            super.interrupt();
            done.countDown();
        }
    }

    @Test
    void interruptInProgressWhenItsTaskReturnsIsAwaitedAndCleared() throws Exception {
        List<PausedInterrupt> threads = new ArrayList<>();
        try (WorkerPool pool = WorkerPool.builder()
                .threads(work -> {
                    threads.add(new PausedInterrupt(work));
                    return threads.getFirst();
                })
                .build()) {
            BlockingTask victim = BlockingTask.interruptible();
            TaskHandle<String> handle = pool.submit(victim);
            TestKit.await(victim.started);
            PausedInterrupt worker = threads.getFirst();
            TaskHandle<Boolean> next = pool.submit(() -> {
                TestKit.await(worker.done); // if it had started earlier, the interrupt would hit it
                return Thread.currentThread().isInterrupted();
            });
            Caller<Boolean> canceller = Caller.of(() -> handle.cancel(true));
            TestKit.await(worker.entered);
            victim.release();
            TestKit.await(victim.ended);
            TestKit.letOthersRun();
            worker.goOn.countDown();
            assertThat(canceller.result()).isTrue();
            assertThat(resultOf(next).value()).isFalse();
        }
    }

    /**
     * Tasks are cancelled just when they return. Each is followed on its worker by tasks that are not cancelled: these must not find the
     * interrupt flag set, neither at their start nor later.
     */
    @ParameterizedTest
    @EnumSource
    void lateInterruptOfOneTaskNeverHitsTheNext(ThreadKind kind) {
        AtomicInteger hit = new AtomicInteger();
        AtomicInteger atItsEnd = new AtomicInteger(-1);
        Callable<Object> bystander = () -> {
            for (int i = 0; i < 50; i++) {
                if (Thread.currentThread().isInterrupted()) {
                    hit.incrementAndGet();
                }
                Thread.onSpinWait();
            }
            return hit;
        };
        try (WorkerPool pool =
                WorkerPool.builder().threads(kind).grace(Duration.ofMinutes(1)).build()) {
            List<TaskHandle<?>> bystanders = new ArrayList<>();
            for (int i = 0; i < VICTIMS; i++) {
                int number = i;
                TaskHandle<?> victim = pool.submit((Runnable) () -> atItsEnd.set(number));
                bystanders.add(pool.submit(bystander));
                bystanders.add(pool.submit(bystander));
                while (atItsEnd.get() < number && !victim.isDone()) {
                    Thread.onSpinWait();
                }
                victim.cancel(true);
            }
            bystanders.forEach(handle -> resultOf(handle));
        }
        assertThat(hit).hasValue(0);
    }

    @Test
    void timeoutOfOneTaskNeverHitsTheNext() {
        AtomicInteger hit = new AtomicInteger();
        TaskOptions brief = TaskOptions.builder().timeout(Duration.ofMillis(1)).build();
        try (WorkerPool pool = WorkerPool.builder().minWorkers(2).build()) {
            List<TaskHandle<?>> handles = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                handles.add(pool.submit(
                        context -> {
                            while (context.timeLeft().orElseThrow().toNanos() > 20_000) {
                                Thread.onSpinWait();
                            }
                            return 1;
                        },
                        brief));
                handles.add(pool.submit(() -> Thread.currentThread().isInterrupted() ? hit.incrementAndGet() : 0));
            }
            handles.forEach(handle -> resultOf(handle));
        }
        assertThat(hit).hasValue(0);
    }

    @Test
    void threadLocalsAreTheWorkersOwn() {
        ThreadLocal<String> local = new ThreadLocal<>();
        try (WorkerPool pool = WorkerPool.builder().build()) {
            local.set("the submitter's");
            assertThat(resultOf(pool.submit(local::get)).value()).isNull();
            resultOf(pool.submit((Runnable) () -> local.set("the worker's")));
            assertThat(resultOf(pool.submit(local::get)).value()).isEqualTo("the worker's");
        } finally {
            local.remove();
        }
    }
}
