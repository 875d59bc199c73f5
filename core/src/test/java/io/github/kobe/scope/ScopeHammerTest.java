package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.TestKit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Scopes under real threads that race. If a wake-up is lost, the test hangs. */
@Timeout(60)
class ScopeHammerTest {

    private static final long ROUND_NANOS = Duration.ofSeconds(1).toNanos();
    private static final Duration FOR_EVER = Duration.ofDays(1);

    private interface Round {
        void run() throws Exception;
    }

    /** Repeats {@code round} for a second. */
    private static void hammer(Round round) throws Exception {
        long until = System.nanoTime() + ROUND_NANOS;
        do {
            round.run();
        } while (System.nanoTime() - until < 0);
    }

    private static void spin() {
        for (int i = ThreadLocalRandom.current().nextInt(300); i > 0; i--) {
            Thread.onSpinWait();
        }
    }

    private static Thread beside(Runnable work) {
        return Thread.ofPlatform().daemon().start(work);
    }

    /** Counts the notifications of each task. */
    private static final class NotificationCounts implements ThreadHook {
        final ConcurrentHashMap<Long, Integer> starts = new ConcurrentHashMap<>();
        final ConcurrentHashMap<Long, Integer> completions = new ConcurrentHashMap<>();
        final Queue<String> complaints = new ConcurrentLinkedQueue<>();

        @Override
        public void onStart(TaskInfo info) {
            if (starts.merge(info.taskId(), 1, Integer::sum) > 1 || completions.containsKey(info.taskId())) {
                complaints.add("start of " + info);
            }
            spin();
            if (completions.containsKey(info.taskId())) {
                complaints.add("completion before the start of " + info);
            }
        }

        private void completed(TaskInfo info) {
            if (completions.merge(info.taskId(), 1, Integer::sum) > 1) {
                complaints.add("second completion of " + info);
            }
        }

        @Override
        public void onSuccess(TaskInfo info, Duration duration) {
            completed(info);
        }

        @Override
        public void onFailure(TaskInfo info, Throwable error, Duration duration) {
            completed(info);
        }

        @Override
        public void onCancel(TaskInfo info, Duration duration) {
            completed(info);
        }
    }

    /** A canceller that loses counts a pending notification and takes it back. The closer must not wait for that notification. */
    @Test
    void closeIsAlwaysWokenByTheLastCompletion() throws Exception {
        hammer(() -> {
            NotificationCounts books = new NotificationCounts();
            ThreadScope scope =
                    ThreadScope.open().withHook(books).withCloseGrace(FOR_EVER).withDeadline(FOR_EVER);
            List<Task<?>> tasks = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                tasks.add(scope.submit(() -> {
                    spin();
                    return 1;
                }));
            }
            Thread canceller = beside(() -> tasks.forEach(Task::cancel));
            spin();
            scope.close();
            assertThat(books.completions).hasSize(tasks.size());
            canceller.join();
            assertThat(books.complaints).isEmpty();
            assertThat(scope.metrics().completed()).isEqualTo(tasks.size());
        });
    }

    /** The first submission creates the state that close reads. */
    @Test
    void noTaskStartsAfterClose() throws Exception {
        AtomicInteger late = new AtomicInteger();
        hammer(() -> {
            AtomicBoolean closed = new AtomicBoolean();
            ThreadScope scope = ThreadScope.open().withCloseGrace(FOR_EVER);
            CountDownLatch ready = new CountDownLatch(1);
            Thread submitter = beside(() -> {
                ready.countDown();
                try {
                    scope.submit(() -> {
                        if (closed.get()) {
                            late.incrementAndGet();
                        }
                        return 1;
                    });
                } catch (IllegalStateException expected) {
                    spin();
                }
            });
            TestKit.await(ready);
            spin();
            scope.close();
            closed.set(true);
            submitter.join();
        });
        TestKit.letOthersRun();
        assertThat(late).hasValue(0);
    }

    /** Submitters, cancellers, a deadline and two closers; on threads of its own, of a pool, and of a group. */
    @Test
    void everyTaskCompletesOnceUnderConcurrentCancelTimeoutAndClose() throws Exception {
        ExecutorService pool = new ThreadPoolExecutor(
                2, 2, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(3), new ThreadPoolExecutor.CallerRunsPolicy());
        try (GroupExecutor groups = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().defaultMaxConcurrencyPerGroup(2).build())) {
            hammer(() -> checkEveryTaskCompletesOnce(Scheduler.from(pool), groups));
            hammer(() -> checkEveryTaskCompletesOnce(Scheduler.virtualThreads(), groups));
            TestKit.eventually(() -> {
                assertThat(groups.stats().totalActiveCount()).isZero();
                assertThat(groups.stats().totalQueuedCount()).isZero();
            });
        } finally {
            pool.shutdown();
        }
    }

    private static void checkEveryTaskCompletesOnce(Scheduler scheduler, GroupExecutor groups) throws Exception {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        NotificationCounts books = new NotificationCounts();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        ThreadScope scope = ThreadScope.open()
                .withScheduler(scheduler)
                .withGroups(groups)
                .withHook(books)
                .withConcurrencyLimit(3)
                .withQueueing(random.nextBoolean())
                .withDeadline(random.nextInt(3) == 0 ? Duration.ofMillis(1) : FOR_EVER)
                .withCloseGrace(FOR_EVER);
        Callable<Integer> work = () -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            try {
                spin();
                LockSupport.parkNanos(random.nextInt(50_000));
                return 1;
            } finally {
                running.decrementAndGet();
            }
        };
        Queue<Task<?>> tasks = new ConcurrentLinkedQueue<>();
        Runnable submits = () -> {
            try {
                for (int i = 0; i < 8; i++) {
                    tasks.add(
                            i % 3 == 0 ? scope.submit("g", "t", work) : scope.submit("t", work, Duration.ofMillis(1)));
                }
            } catch (IllegalStateException | ScopeTimeoutException closed) {
                spin();
            }
        };
        List<Thread> others = new ArrayList<>();
        others.add(beside(submits));
        others.add(beside(submits));
        others.add(beside(() -> {
            for (int i = 0; i < 20; i++) {
                spin();
                tasks.forEach(task -> {
                    if (task.id() % 4 == 0) {
                        task.cancel();
                    }
                });
            }
        }));
        LockSupport.parkNanos(random.nextInt(400_000));
        others.add(beside(scope::close));
        scope.close();
        assertThat(running).hasValue(0);
        ScopeMetricsSnapshot metrics = scope.metrics();
        assertThat((long) books.completions.size()).isEqualTo(metrics.completed());
        for (Thread other : others) {
            other.join();
        }
        assertThat(tasks).allMatch(Task::isDone);
        assertThat(books.complaints).isEmpty();
        assertThat(most.get()).isLessThanOrEqualTo(3);
        assertThat(scope.metrics().completed()).isEqualTo(metrics.completed());
    }

    /** A cancelled task leaves no interrupt flag on a thread that then runs the next task. */
    @Test
    void lateInterruptNeverReachesTheNextTask() throws Exception {
        AtomicInteger hit = new AtomicInteger();
        ExecutorService direct = new ForeignExecutorRacesTest.DirectExecutor();
        ThreadPoolExecutor one = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        for (ExecutorService executor : List.of(direct, one)) {
            hammer(() -> {
                try (ThreadScope scope = ThreadScope.open()
                        .withScheduler(Scheduler.from(executor))
                        .withConcurrencyLimit(1)
                        .withQueueing(true)) {
                    CountDownLatch started = new CountDownLatch(1);
                    AtomicBoolean go = new AtomicBoolean();
                    AtomicInteger taken = new AtomicInteger();
                    Queue<Task<?>> victims = new ConcurrentLinkedQueue<>();
                    Thread runner = beside(() -> victims.add(scope.submit(() -> {
                        started.countDown();
                        while (!go.get()) {
                            Thread.onSpinWait();
                        }
                        return 1;
                    })));
                    TestKit.await(started);
                    Task<Integer> victim = scope.submit(() -> {
                        taken.incrementAndGet();
                        spin();
                        return 1;
                    });
                    Task<Integer> next = scope.submit(() -> {
                        for (int i = 0; i < 300; i++) {
                            if (Thread.currentThread().isInterrupted()) {
                                hit.incrementAndGet();
                            }
                        }
                        return 2;
                    });
                    go.set(true);
                    while (taken.get() == 0) {
                        Thread.onSpinWait();
                    }
                    victim.cancel();
                    assertThat(next.await()).isEqualTo(2);
                    runner.join();
                }
            });
        }
        one.shutdown();
        assertThat(hit).hasValue(0);
    }

    @Test
    void firstFailureAlwaysWakesTheWaiter() throws Exception {
        hammer(() -> {
            try (ThreadScope scope = ThreadScope.open().withDeadline(FOR_EVER)) {
                List<Task<?>> tasks = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    tasks.add(scope.submit(() -> {
                        LockSupport.park();
                        TestKit.await(new CountDownLatch(1));
                        return 1;
                    }));
                }
                tasks.add(scope.submit(() -> {
                    spin();
                    throw new IllegalArgumentException("the one");
                }));
                for (int i = 0; i < 3; i++) {
                    tasks.add(scope.submit(() -> {
                        spin();
                        return 1;
                    }));
                }
                Throwable thrown = null;
                try {
                    scope.await(tasks);
                } catch (IllegalArgumentException e) {
                    thrown = e;
                }
                assertThat(thrown).hasMessage("the one");
            }
        });
    }

    @Test
    void submitterThatWaitsForAPermitIsAlwaysWoken() throws Exception {
        hammer(() -> {
            try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withDeadline(FOR_EVER)) {
                List<Thread> submitters = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    submitters.add(beside(() -> {
                        for (int n = 0; n < 10; n++) {
                            scope.submit(() -> 1);
                        }
                    }));
                }
                for (Thread submitter : submitters) {
                    submitter.join();
                }
            }
        });
    }

    @Test
    void cancelledScheduleStartsNoFurtherRun() throws Exception {
        AtomicInteger late = new AtomicInteger();
        try (ThreadScope scope = ThreadScope.open().withDeadline(FOR_EVER)) {
            hammer(() -> {
                AtomicBoolean cancelled = new AtomicBoolean();
                AtomicInteger runs = new AtomicInteger();
                ScheduledTask schedule = scope.scheduleAtFixedRate(Duration.ZERO, Duration.ofNanos(1), () -> {
                    if (cancelled.get()) {
                        late.incrementAndGet();
                    }
                    runs.incrementAndGet();
                });
                while (runs.get() == 0) {
                    Thread.onSpinWait();
                }
                spin();
                schedule.cancel();
                LockSupport.parkNanos(50_000); // a run that has started may be at its first step
                cancelled.set(true);
            });
        }
        assertThat(late).hasValue(0);
    }

    @Test
    void nestedScopesMayBeClosedInAnyOrder() throws Exception {
        hammer(() -> {
            AtomicInteger running = new AtomicInteger();
            ThreadScope outer = ThreadScope.open().withCloseGrace(FOR_EVER);
            CountDownLatch open = new CountDownLatch(1);
            Task<Integer> nesting = outer.submit(() -> {
                try (ThreadScope inner = ThreadScope.open().withCloseGrace(FOR_EVER)) {
                    for (int i = 0; i < 3; i++) {
                        inner.submit(() -> {
                            running.incrementAndGet();
                            try {
                                TestKit.await(new CountDownLatch(1));
                                return 1;
                            } finally {
                                running.decrementAndGet();
                            }
                        });
                    }
                    open.countDown();
                    spin();
                }
                return 1;
            });
            TestKit.await(open);
            Thread other = beside(outer::close);
            spin();
            outer.close();
            assertThat(running).hasValue(0);
            assertThat(nesting.isDone()).isTrue();
            other.join();
        });
    }

    @Test
    void joinIsAlwaysWokenByItsWinner() throws Exception {
        try (ThreadScope scope = ThreadScope.open().withDeadline(FOR_EVER)) {
            hammer(() -> {
                int winner = scope.joiner()
                        .<Integer>firstSuccess(
                                () -> {
                                    spin();
                                    return 1;
                                },
                                () -> {
                                    spin();
                                    throw new IllegalStateException("loses");
                                },
                                () -> {
                                    spin();
                                    return 3;
                                });
                assertThat(winner).isIn(1, 3);
            });
        }
    }
}
