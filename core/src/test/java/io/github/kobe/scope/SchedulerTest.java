package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.assertReachesState;
import static io.github.kobe.scope.ScopeKit.blocker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.TaskTimeoutException;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Peak;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What threads do tasks run on, in what order, and whose are they? */
@Timeout(60)
class SchedulerTest {

    private static ThreadScope open(Scheduler scheduler) {
        return ThreadScope.open().withScheduler(scheduler);
    }

    private static Thread threadOf(ThreadScope scope) {
        return scope.submit(Thread::currentThread).await();
    }

    static Stream<Scheduler> all() {
        return ScopeKit.schedulers();
    }

    static Stream<Scheduler> oneThread() {
        return ScopeKit.schedulersWithOneThread();
    }

    // ---- which threads -------------------------------------------------------------------------------------------

    @Test
    void detectReturnsVirtualThreads() {
        assertThat(Scheduler.detect()).isSameAs(Scheduler.virtualThreads());
    }

    @Test
    void virtualThreadsStartsAFreshThreadForEachTask() {
        try (ThreadScope scope = open(Scheduler.virtualThreads())) {
            Thread one = threadOf(scope);
            assertThat(one.isVirtual()).isTrue();
            assertThat(one).isNotSameAs(threadOf(scope));
        }
    }

    @Test
    void commonPoolIsTheCommonPool() {
        try (ThreadScope scope = open(Scheduler.commonPool())) {
            assertThat(threadOf(scope))
                    .isInstanceOfSatisfying(
                            ForkJoinWorkerThread.class,
                            t -> assertThat(t.getPool()).isSameAs(ForkJoinPool.commonPool()));
        }
    }

    @Test
    void fixedAndPriorityHaveDaemonPlatformThreads() {
        for (Scheduler scheduler : List.of(Scheduler.fixed(1), Scheduler.priority(1))) {
            try (ThreadScope scope = open(scheduler)) {
                Thread thread = threadOf(scope);
                assertThat(thread.isVirtual()).isFalse();
                assertThat(thread.isDaemon()).isTrue();
                assertThat(thread).isSameAs(threadOf(scope));
            }
        }
    }

    @Test
    void fixedAndPriorityRunAsManyTasksAsTheyHaveThreads() throws Exception {
        for (Scheduler scheduler : List.of(Scheduler.fixed(3), Scheduler.priority(3))) {
            Peak peak = new Peak();
            BlockingTask blocker = BlockingTask.interruptible();
            try (ThreadScope scope = open(scheduler)) {
                List<Task<String>> tasks = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    tasks.add(scope.submit(() -> peak.during(blocker::call)));
                }
                eventually(() -> assertThat(peak.now()).isEqualTo(3));
                blocker.release();
                scope.await(tasks);
                assertThat(peak.most()).isEqualTo(3);
            }
        }
    }

    @Test
    void fromRunsOnTheThreadsOfTheExecutor() {
        try (ExecutorService theirs = Executors.newSingleThreadExecutor(r -> new Thread(r, "theirs"));
                ThreadScope scope = open(Scheduler.from(theirs))) {
            assertThat(threadOf(scope).getName()).isEqualTo("theirs");
        }
    }

    @Test
    void namesDescribeTheSchedulers() {
        assertThat(all().map(Scheduler::name))
                .containsExactly("virtualThreads", "commonPool", "fixed(2)", "priority(2)", "external");
        assertThat(all().map(Scheduler::toString))
                .containsExactly("virtualThreads", "commonPool", "fixed(2)", "priority(2)", "external");
        assertThat(all().map(Scheduler::isVirtualThreadMode)).containsExactly(true, false, false, false, false);
    }

    @Test
    void sizeLessThanOneThrows() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Scheduler.fixed(0))
                .withMessageContainingAll("size", "0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Scheduler.priority(-1))
                .withMessageContainingAll("size", "-1");
    }

    // ---- whose they are ------------------------------------------------------------------------------------------

    @Test
    void ownedSchedulersAreShutDownWithTheScopeAndTheirThreadsTerminate() throws Exception {
        for (Scheduler scheduler : List.of(Scheduler.fixed(2), Scheduler.priority(2))) {
            ThreadScope scope = open(scheduler);
            Thread thread = threadOf(scope);
            assertThat(scheduler.isShutDown()).isFalse();
            scope.close();
            assertThat(scheduler.isShutDown()).isTrue();
            assertThat(thread.join(TestKit.PATIENCE)).isTrue();
        }
    }

    @Test
    void ownedSchedulersAreShutDownEvenIfNothingWasSubmitted() {
        Scheduler scheduler = Scheduler.fixed(2);
        open(scheduler).close();
        assertThat(scheduler.isShutDown()).isTrue();
    }

    @Test
    void ownedSchedulerCannotBeReusedAfterClose() {
        Scheduler scheduler = Scheduler.fixed(2);
        open(scheduler).close();
        try (ThreadScope scope = ThreadScope.open()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> scope.withScheduler(scheduler))
                    .withMessageContaining("fixed(2)");
        }
    }

    @Test
    void borrowedSchedulersAreNeverShutDown() {
        try (ExecutorService theirs = Executors.newSingleThreadExecutor()) {
            for (int i = 0; i < 2; i++) {
                try (ThreadScope scope = open(Scheduler.from(theirs))) {
                    assertThat(scope.submit(() -> "ran").await()).isEqualTo("ran");
                }
                assertThat(theirs.isShutdown()).isFalse();
            }
        }
        try (ThreadScope scope = open(Scheduler.commonPool())) {
            assertThat(scope.submit(() -> "ran").await()).isEqualTo("ran");
        }
        assertThat(ForkJoinPool.commonPool().isShutdown()).isFalse();
    }

    @Test
    void taskRejectedByTheExecutorFailsAndReleasesItsPermit() {
        ExecutorService theirs = Executors.newSingleThreadExecutor();
        ScopeKit.RecordingHook heard = new ScopeKit.RecordingHook();
        try (ThreadScope scope =
                open(Scheduler.from(theirs)).withConcurrencyLimit(1).withHook(heard)) {
            scope.submit("before", () -> "ran").await();
            theirs.shutdown();
            for (int i = 0; i < 3; i++) {
                Task<String> task = scope.submit("rejected", () -> "ran");
                assertThatThrownBy(task::await).isInstanceOf(RejectedExecutionException.class);
                assertThat(task.state()).isEqualTo(Task.State.FAILED);
            }
            assertThat(scope.metrics().failed()).isEqualTo(3);
            assertThat(scope.metrics().started()).isEqualTo(1);
        }
        assertThat(heard.of("rejected")).containsExactly("failure", "failure", "failure");
    }

    @Test
    void permitOfACompletedTaskIsReleasedOnceIfTheExecutorRejectsIt() {
        CountDownLatch timedOut = new CountDownLatch(1);
        AtomicBoolean rejects = new AtomicBoolean(true);
        ScopeKit.OneThread theirs = new ScopeKit.OneThread() {
            @Override
            public void execute(Runnable command) {
                if (rejects.get()) {
                    TestKit.await(timedOut);
                    throw new RejectedExecutionException("rejected");
                }
                Thread.startVirtualThread(command);
            }
        };
        ThreadHook hook = new ThreadHook() {
            @Override
            public void onFailure(TaskInfo info, Throwable error, Duration duration) {
                timedOut.countDown();
            }
        };
        try (ThreadScope scope = open(Scheduler.from(theirs))
                .withConcurrencyLimit(1)
                .withQueueing(true)
                .withHook(hook)) {
            Task<String> rejected = scope.submit("rejected", () -> "ran", ScopeKit.SHORT);
            rejects.set(false); // if the task timed out before it reached the executor, there was nothing to reject
            assertThatThrownBy(rejected::await).isInstanceOf(TaskTimeoutException.class);
            BlockingTask blocker = blocker(scope);
            Task<String> next = scope.submit("next", () -> "ran");
            TestKit.letOthersRun();
            assertThat(next.state()).isEqualTo(Task.State.PENDING);
            blocker.release();
            assertThat(next.await()).isEqualTo("ran");
        }
    }

    // ---- fixed: a bounded queue, and the caller if that is full ---------------------------------------------------

    @Test
    void fixedRunsTasksOnTheCallerIfItsQueueIsFull() {
        try (ThreadScope scope = open(Scheduler.fixed(1))) {
            BlockingTask blocker = blocker(scope);
            List<Task<Thread>> queued = new ArrayList<>();
            for (int i = 0; i < 256; i++) {
                queued.add(scope.submit(Thread::currentThread));
            }
            assertThat(queued).noneMatch(Task::isDone);
            Task<Thread> overflow = scope.submit(Thread::currentThread);
            assertThat(overflow.state()).isEqualTo(Task.State.SUCCESS);
            assertThat(overflow.await()).isSameAs(Thread.currentThread());
            blocker.release();
            scope.await(queued);
            assertThat(queued.getFirst().await()).isNotSameAs(Thread.currentThread());
        }
    }

    @Test
    void fixedQueuesAHundredForEachOfManyThreads() {
        try (ThreadScope scope = open(Scheduler.fixed(3))) {
            List<BlockingTask> blockers = List.of(blocker(scope), blocker(scope), blocker(scope));
            for (int i = 0; i < 300; i++) {
                assertThat(scope.submit(() -> "queued").isDone()).isFalse();
            }
            assertThat(scope.submit(Thread::currentThread).await()).isSameAs(Thread.currentThread());
            blockers.forEach(BlockingTask::release);
        }
    }

    @Test
    void contextOfTheCallerIsRestoredAfterItRanATask() {
        try (ThreadScope scope = open(Scheduler.fixed(1))) {
            BlockingTask blocker = blocker(scope);
            for (int i = 0; i < 256; i++) {
                scope.submit(() -> "queued");
            }
            Context.put("mine", "kept");
            try {
                scope.submit(() -> {
                            Context.put("mine", "changed");
                            return "ran in the caller";
                        })
                        .await();
                assertThat(Context.<String>get("mine")).isEqualTo("kept");
            } finally {
                Context.clear();
            }
            blocker.release();
        }
    }

    @Test
    void interruptFlagOfTheCallerIsKeptAfterItRanATask() {
        try (ThreadScope scope = open(Scheduler.fixed(1))) {
            BlockingTask blocker = blocker(scope);
            for (int i = 0; i < 256; i++) {
                scope.submit(() -> "queued");
            }
            Thread.currentThread().interrupt();
            Task<Boolean> task = scope.submit(() -> Thread.currentThread().isInterrupted());
            assertThat(Thread.interrupted()).as("the caller's flag").isTrue();
            assertThat(task.await()).as("the task's").isFalse();
            blocker.release();
        }
    }

    @Test
    void callerInterruptedWhileItRunsATaskKeepsItsInterruptFlag() {
        Thread caller = Thread.currentThread();
        try (ThreadScope scope = open(Scheduler.fixed(1))) {
            BlockingTask blocker = blocker(scope);
            for (int i = 0; i < 256; i++) {
                scope.submit(() -> "queued");
            }
            Task<String> task = scope.submit(() -> {
                caller.interrupt();
                return "ran";
            });
            assertThat(Thread.interrupted()).isTrue();
            assertThat(task.await()).isEqualTo("ran");
            blocker.release();
        }
    }

    @Test
    void longChainOfTasksOnTheCallerDoesNotGrowItsStack() {
        try (ThreadScope scope =
                open(Scheduler.fixed(1)).withConcurrencyLimit(300).withQueueing(true)) {
            BlockingTask blocker = blocker(scope);
            List<Task<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                tasks.add(scope.submit(() -> 1));
            }
            blocker.release();
            assertThat(scope.await(tasks).succeeded()).isEqualTo(20_000);
        }
    }

    // ---- order ---------------------------------------------------------------------------------------------------

    @Test
    void priorityRunsHigherPrioritiesFirstAndEqualOnesInSubmissionOrder() {
        List<String> order = new CopyOnWriteArrayList<>();
        try (ThreadScope scope = open(Scheduler.priority(1))) {
            BlockingTask blocker = blocker(scope);
            List<Task<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                for (TaskPriority priority : TaskPriority.values()) {
                    String name = priority + "-" + i;
                    tasks.add(scope.submit(name, () -> order.add(name), priority));
                }
            }
            blocker.release();
            scope.await(tasks);
        }
        List<String> expected = new ArrayList<>();
        for (TaskPriority priority : List.of(TaskPriority.HIGH, TaskPriority.NORMAL, TaskPriority.LOW)) {
            for (int i = 0; i < 20; i++) {
                expected.add(priority + "-" + i);
            }
        }
        assertThat(order).isEqualTo(expected);
    }

    @Test
    void priorityQueueIsUnbounded() {
        try (ThreadScope scope = open(Scheduler.priority(1))) {
            BlockingTask blocker = blocker(scope);
            List<Task<String>> tasks = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                tasks.add(scope.submit(() -> "ran"));
            }
            assertThat(tasks).noneMatch(Task::isDone);
            blocker.release();
            scope.await(tasks);
        }
    }

    @Test
    void fixedStartsTasksInTheOrderOfSubmission() {
        List<Integer> order = new CopyOnWriteArrayList<>();
        try (ThreadScope scope = open(Scheduler.fixed(1))) {
            List<Task<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                int number = i;
                tasks.add(scope.submit(() -> order.add(number)));
            }
            scope.await(tasks);
        }
        assertThat(order).isSorted().hasSize(100);
    }

    // ---- interruption --------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("oneThread")
    void interruptionOfATaskNeverReachesTheNextTask(Scheduler scheduler) {
        try (ThreadScope scope = open(scheduler)) {
            for (int i = 0; i < 200; i++) {
                BlockingTask blocker = i % 2 == 0 ? BlockingTask.interruptible() : BlockingTask.uninterruptible();
                Task<String> task = scope.submit(blocker);
                TestKit.await(blocker.started);
                assertThat(task.cancel()).isTrue();
                blocker.release();
                assertThat(scope.submit(() -> Thread.currentThread().isInterrupted())
                                .await())
                        .isFalse();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("oneThread")
    void interruptionThatRacesWithCompletionNeverReachesTheNextTask(Scheduler scheduler) {
        try (ThreadScope scope = open(scheduler)) {
            for (int i = 0; i < 500; i++) {
                Task<String> task = scope.submit(() -> "short");
                Task<Boolean> next = scope.submit(() -> Thread.currentThread().isInterrupted());
                for (int j = 0; j < i % 20; j++) {
                    TestKit.yieldToOthers();
                }
                task.cancel();
                assertThat(next.await()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("oneThread")
    void interruptFlagLeftByATaskDoesNotReachTheNextTask(Scheduler scheduler) {
        try (ThreadScope scope = open(scheduler)) {
            Task<String> careless = scope.submit(() -> {
                Thread.currentThread().interrupt();
                return "left the flag set";
            });
            Task<Boolean> next = scope.submit(() -> Thread.currentThread().isInterrupted());
            assertThat(careless.await()).isEqualTo("left the flag set");
            assertThat(next.await()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("oneThread")
    void interruptedExceptionOfATaskDoesNotReachTheNextTask(Scheduler scheduler) {
        try (ThreadScope scope = open(scheduler)) {
            Task<String> careless = scope.submit(ScopeKit.failing(new InterruptedException("its own")));
            Task<Boolean> next = scope.submit(() -> Thread.currentThread().isInterrupted());
            assertThat(next.await()).isFalse();
            assertReachesState(careless, Task.State.CANCELLED);
        }
    }

    // ---- cancelling what waits for a thread ----------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("oneThread")
    void taskThatAwaitsAThreadIsCancelledAtOnce(Scheduler scheduler) {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope = open(scheduler)) {
            BlockingTask blocker = blocker(scope);
            Task<Integer> waiting = scope.submit(runs::incrementAndGet);
            assertThat(waiting.state()).isEqualTo(Task.State.PENDING);
            assertThat(waiting.cancel()).isTrue();
            assertThat(waiting.state()).isEqualTo(Task.State.CANCELLED);
            blocker.release();
            assertThat(scope.submit(() -> "ran").await()).isEqualTo("ran");
        }
        assertThat(runs).hasValue(0);
    }

    @ParameterizedTest
    @MethodSource("oneThread")
    void taskThatAwaitsAThreadIsCancelledWithTheScopeAtOnce(Scheduler scheduler) {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope = open(scheduler)) {
            BlockingTask blocker = blocker(scope, BlockingTask.uninterruptible());
            Task<Integer> waiting = scope.submit(runs::incrementAndGet);
            scope.token().cancel();
            assertThat(waiting.state()).isEqualTo(Task.State.CANCELLED);
            blocker.release();
        }
        assertThat(runs).hasValue(0);
    }

    @ParameterizedTest
    @MethodSource("all")
    void allTasksRunOnEveryScheduler(Scheduler scheduler) {
        AtomicInteger runs = new AtomicInteger();
        try (ThreadScope scope = open(scheduler)) {
            List<Task<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                tasks.add(scope.submit(runs::incrementAndGet));
            }
            assertThat(scope.await(tasks).succeeded()).isEqualTo(1_000);
        }
        assertThat(runs).hasValue(1_000);
    }
}
