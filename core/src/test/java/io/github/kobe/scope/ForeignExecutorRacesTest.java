package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TestKit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Races between handing a task to a foreign executor and its start on a thread of that executor. */
@Timeout(60)
class ForeignExecutorRacesTest {

    private static final Duration NO_GRACE = Duration.ofMillis(500);

    private static void sleepLong(CountDownLatch until) {
        TestKit.await(until);
    }

    /** One thread and a queue of one. If the queue is full, the caller runs the task. */
    private static ThreadPoolExecutor smallCallerRunsPool() {
        return new ThreadPoolExecutor(
                1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(1), new ThreadPoolExecutor.CallerRunsPolicy());
    }

    @Test
    void cancellingTheScopeCancelsTasksInTheQueueOfTheExecutor() {
        CountDownLatch free = new CountDownLatch(1);
        ThreadPoolExecutor pool = smallCallerRunsPool();
        try {
            pool.execute(() -> sleepLong(free));
            ThreadScope scope =
                    ThreadScope.open().withScheduler(Scheduler.from(pool)).withCloseGrace(NO_GRACE);
            Task<String> waiting = scope.submit(() -> "ran");
            scope.token().cancel();
            assertThat(waiting.state()).isEqualTo(Task.State.CANCELLED);
            scope.close();
        } finally {
            free.countDown();
            pool.shutdown();
        }
    }

    @Test
    void cancellingTheScopeCancelsTasksQueuedInAGroup() {
        CountDownLatch free = new CountDownLatch(1);
        try (GroupExecutor groups = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(1).build())) {
            groups.submit("g", "blocker", () -> {
                sleepLong(free);
                return 1;
            });
            ThreadScope scope = ThreadScope.open().withGroups(groups).withCloseGrace(NO_GRACE);
            Task<String> waiting = scope.submit("g", "t", () -> "ran");
            assertThat(groups.groupStats("g").orElseThrow().queuedCount()).isEqualTo(1);
            scope.token().cancel();
            assertThat(waiting.state()).isEqualTo(Task.State.CANCELLED);
            assertThat(groups.groupStats("g").orElseThrow().queuedCount()).isZero();
            scope.close();
            free.countDown();
        }
    }

    /** A task times out in the queue of the executor. The next task gets its permit, but does not run on the timer thread. */
    @Test
    void noTaskRunsOnTheTimerThreadAfterATimeout() {
        CountDownLatch free = new CountDownLatch(1);
        AtomicReference<String> thread = new AtomicReference<>();
        ThreadPoolExecutor pool = smallCallerRunsPool();
        try (ThreadScope scope = ThreadScope.open()
                .withScheduler(Scheduler.from(pool))
                .withConcurrencyLimit(2)
                .withQueueing(true)) {
            scope.submit(() -> {
                sleepLong(free);
                return 1;
            });
            Task<Integer> late = scope.submit(() -> 2, Duration.ofMillis(20));
            Task<Integer> next = scope.submit(() -> {
                thread.set(Thread.currentThread().getName());
                return 3;
            });
            TestKit.eventually(() -> assertThat(late.isFailed()).isTrue());
            TestKit.eventually(() -> assertThat(next.isDone()).isTrue());
            assertThat(thread.get()).doesNotContain("timer");
            free.countDown();
        } finally {
            pool.shutdown();
        }
    }

    @Test
    void noFurtherAttemptRunsOnTheTimerThread() {
        AtomicReference<String> thread = new AtomicReference<>();
        try (ThreadScope scope = ThreadScope.open()
                .withScheduler(Scheduler.from(new DirectExecutor()))
                .withRetryPolicy(RetryPolicy.fixedDelay(2, Duration.ofMillis(1)))) {
            AtomicBoolean failed = new AtomicBoolean();
            Task<Integer> task = scope.submit(() -> {
                thread.set(Thread.currentThread().getName());
                if (failed.compareAndSet(false, true)) {
                    throw new IllegalStateException("first");
                }
                return 1;
            });
            assertThat(task.await()).isEqualTo(1);
            assertThat(thread.get()).doesNotContain("timer");
        }
    }

    @Test
    void cancelDoesNotRunTheNextTaskOnTheCancellingThread() {
        CountDownLatch free = new CountDownLatch(1);
        AtomicReference<Thread> thread = new AtomicReference<>();
        ThreadPoolExecutor pool = smallCallerRunsPool();
        try (ThreadScope scope = ThreadScope.open()
                .withScheduler(Scheduler.from(pool))
                .withConcurrencyLimit(2)
                .withQueueing(true)) {
            scope.submit(() -> {
                sleepLong(free);
                return 1;
            });
            Task<Integer> inQueue = scope.submit(() -> 2);
            Task<Integer> next = scope.submit(() -> {
                thread.set(Thread.currentThread());
                return 3;
            });
            inQueue.cancel();
            TestKit.eventually(() -> assertThat(next.isDone()).isTrue());
            assertThat(thread.get()).isNotSameAs(Thread.currentThread());
            free.countDown();
        } finally {
            pool.shutdown();
        }
    }

    /** The pool is full, so the submitter runs the task. A task that it submits must not wait for it. */
    @Test
    void taskOnItsSubmittersThreadCanAwaitATaskItSubmits() {
        CountDownLatch free = new CountDownLatch(1);
        try (ThreadScope scope =
                ThreadScope.open().withScheduler(Scheduler.fixed(1)).withDeadline(Duration.ofSeconds(20))) {
            scope.submit(() -> {
                sleepLong(free);
                return 1;
            });
            TestKit.eventually(() -> assertThat(scope.metrics().started()).isEqualTo(1));
            for (int i = 0; i < 256; i++) {
                scope.submit(() -> 0);
            }
            Task<String> outer = scope.submit(() -> {
                Task<String> inner = scope.submit(() -> "inner");
                return inner.isDone() ? inner.await() : "inner waits for outer";
            });
            assertThat(outer.await()).isEqualTo("inner");
            free.countDown();
        }
    }

    /** The group rejects each task, which releases the permit for the next task. The calls must not nest. */
    @Test
    void longQueueOfRejectedTasksCompletesWithoutRecursion() {
        CountDownLatch free = new CountDownLatch(1);
        try (GroupExecutor groups = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                        .defaultMaxConcurrencyPerGroup(1)
                        .defaultQueueThresholdPerGroup(0)
                        .build());
                ThreadScope scope = ThreadScope.open()
                        .withGroups(groups)
                        .withConcurrencyLimit(1)
                        .withQueueing(true)
                        .withFailurePolicy(FailurePolicy.SUPERVISOR)) {
            scope.submit(() -> {
                sleepLong(free);
                return 1;
            });
            List<Task<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                tasks.add(scope.submit("g", "t", () -> 1));
            }
            CountDownLatch groupFree = new CountDownLatch(1);
            groups.submit("g", "blocker", () -> {
                sleepLong(groupFree);
                return 1;
            });
            free.countDown();
            Outcome outcome = scope.await(tasks);
            groupFree.countDown();
            assertThat(outcome.failed()).isEqualTo(tasks.size());
            assertThat(outcome.failures()).hasOnlyElementsOfType(RejectedTaskException.class);
        }
    }

    @Test
    void longQueueOnADirectExecutorRunsWithoutRecursion() {
        CountDownLatch free = new CountDownLatch(1);
        CountDownLatch started = new CountDownLatch(1);
        try (ThreadScope scope = ThreadScope.open()
                .withScheduler(Scheduler.from(new DirectExecutor()))
                .withConcurrencyLimit(1)
                .withQueueing(true)) {
            Thread first = Thread.ofPlatform()
                    .start(() -> scope.submit(() -> {
                        started.countDown();
                        sleepLong(free);
                        return 1;
                    }));
            TestKit.await(started);
            List<Task<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                tasks.add(scope.submit(() -> 1));
            }
            free.countDown();
            assertThat(scope.await(tasks).succeeded()).isEqualTo(tasks.size());
            assertThat(first).isNotNull();
        }
    }

    /** The task is cancelled while the executor rejects it. Its permit is released once. */
    @Test
    void permitIsReleasedOnceIfTheTaskIsCancelledWhileTheExecutorRejectsIt() throws Exception {
        AtomicReference<Task<Integer>> victim = new AtomicReference<>();
        AtomicBoolean rejects = new AtomicBoolean();
        ExecutorService executor = new DirectExecutor() {
            @Override
            public void execute(Runnable work) {
                if (rejects.getAndSet(false)) {
                    victim.get().cancel();
                    throw new RejectedExecutionException("full");
                }
                new Thread(work).start();
            }
        };
        CountDownLatch free = new CountDownLatch(1);
        ThreadScope scope = ThreadScope.open()
                .withScheduler(Scheduler.from(executor))
                .withConcurrencyLimit(1)
                .withQueueing(true);
        scope.submit(() -> {
            sleepLong(free);
            return 1;
        });
        victim.set(scope.submit(() -> 2));
        rejects.set(true);
        free.countDown();
        TestKit.eventually(() -> assertThat(victim.get().isDone()).isTrue());
        TestKit.eventually(() -> assertThat(scope.metrics().completed()).isEqualTo(2));
        CountDownLatch both = new CountDownLatch(1);
        scope.submit(() -> {
            sleepLong(both);
            return 3;
        });
        Task<Integer> second = scope.submit(() -> 4);
        TestKit.letOthersRun();
        assertThat(second.state()).isEqualTo(Task.State.PENDING);
        both.countDown();
        scope.close();
    }

    @Test
    void scheduleFailsIfTheExecutorRejectsARun() {
        ExecutorService executor = new DirectExecutor() {
            @Override
            public void execute(Runnable work) {
                throw new RejectedExecutionException("never");
            }
        };
        try (ThreadScope scope = ThreadScope.open().withScheduler(Scheduler.from(executor))) {
            ScheduledTask task = scope.scheduleAtFixedRate(Duration.ZERO, Duration.ofMillis(1), () -> {});
            TestKit.eventually(() -> assertThat(task.isDone()).isTrue());
            assertThat(task.failure()).containsInstanceOf(RejectedExecutionException.class);
        }
    }

    /** Runs every task on the calling thread. */
    static class DirectExecutor extends AbstractExecutorService {
        private volatile boolean down;

        @Override
        public void execute(Runnable work) {
            work.run();
        }

        @Override
        public void shutdown() {
            down = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            down = true;
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return down;
        }

        @Override
        public boolean isTerminated() {
            return down;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return down;
        }
    }
}
