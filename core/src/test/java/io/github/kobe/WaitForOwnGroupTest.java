package io.github.kobe;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Peak;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A task that waits for a task of its own group, or behind the same global limit, lends its permit. */
@Timeout(60)
class WaitForOwnGroupTest {

    private static GroupExecutor limitOfOne() {
        return TestKit.executor(policy -> policy.defaultMaxConcurrencyPerGroup(1));
    }

    private static GroupExecutor globalLimitOfOne() {
        return TestKit.executor(
                policy -> policy.defaultMaxConcurrencyPerGroup(1).globalMaxInFlight(1));
    }

    private static void assertIdle(GroupExecutor executor) {
        TestKit.eventually(() -> {
            assertThat(executor.stats().totalActiveCount()).isZero();
            assertThat(executor.stats().totalQueuedCount()).isZero();
            assertThat(executor.stats().globalInFlightUsed()).isLessThanOrEqualTo(0);
        });
    }

    // ---- ways to wait --------------------------------------------------------------------------------------------

    @Test
    void awaitInsideATask() {
        try (GroupExecutor executor = limitOfOne()) {
            TaskHandle<Integer> outer = executor.submit(
                    "a",
                    "outer",
                    () -> executor.submit("a", "inner", () -> 1).await().value() + 1);
            assertThat(TestKit.resultOf(outer).value()).isEqualTo(2);
            assertIdle(executor);
        }
    }

    @Test
    void awaitInsideACall() throws Exception {
        try (GroupExecutor executor = limitOfOne()) {
            int value = executor.call(
                    "a", () -> executor.submit("a", "inner", () -> 1).join().value());
            assertThat(value).isEqualTo(1);
            assertIdle(executor);
        }
    }

    @Test
    void executeAllInsideATask() {
        try (GroupExecutor executor = limitOfOne()) {
            TaskHandle<Integer> outer = executor.submit(
                    "a",
                    "outer",
                    () -> executor
                            .executeAll(IntStream.range(0, 20)
                                    .mapToObj(i -> new GroupTask<>("a", "inner-" + i, () -> i))
                                    .toList())
                            .stream()
                            .mapToInt(GroupResult::value)
                            .sum());
            assertThat(TestKit.resultOf(outer).value()).isEqualTo(190);
            assertIdle(executor);
        }
    }

    @Test
    void completionsInsideATask() {
        for (GroupExecutor made : List.of(limitOfOne(), globalLimitOfOne())) {
            try (GroupExecutor executor = made) {
                TaskHandle<Integer> outer = executor.submit("a", "outer", () -> {
                    List<GroupTask<Integer>> tasks = IntStream.range(0, 40)
                            .mapToObj(i -> new GroupTask<>(i % 3 == 0 ? "b" : "a", "inner-" + i, () -> i))
                            .toList();
                    try (Stream<GroupResult<Integer>> results = executor.completions(tasks.stream(), 7)) {
                        return results.mapToInt(GroupResult::value).sum();
                    }
                });
                assertThat(TestKit.resultOf(outer).value()).isEqualTo(780);
                assertIdle(executor);
            }
        }
    }

    @Test
    void feedInsideATask() {
        for (GroupExecutor made : List.of(limitOfOne(), globalLimitOfOne())) {
            try (GroupExecutor executor = made) {
                ConcurrentLinkedQueue<TaskHandle<Integer>> handles = new ConcurrentLinkedQueue<>();
                TaskHandle<Long> outer = executor.submit("a", "outer", () -> {
                    Stream<GroupTask<Integer>> tasks = IntStream.range(0, 40)
                            .mapToObj(i -> new GroupTask<>(i % 3 == 0 ? "b" : "a", "inner-" + i, () -> i));
                    return executor.feed(tasks, 7, 3, handles::add);
                });
                assertThat(TestKit.resultOf(outer).value()).isEqualTo(40);
                assertThat(handles)
                        .hasSize(40)
                        .allSatisfy(handle ->
                                assertThat(TestKit.resultOf(handle).isSuccess()).isTrue());
                assertIdle(executor);
            }
        }
    }

    @Test
    void aConsumerOfCompletionsNeverRunsWithoutAPermit() {
        try (GroupExecutor executor = TestKit.executor(policy -> policy.defaultMaxConcurrencyPerGroup(2))) {
            Peak running = new Peak();
            List<TaskHandle<Integer>> outer = IntStream.range(0, 6)
                    .mapToObj(n -> executor.submit("a", "outer-" + n, () -> {
                        List<GroupTask<Integer>> tasks = IntStream.range(0, 50)
                                .mapToObj(i -> new GroupTask<>("a", "inner", () -> running.during(() -> 1)))
                                .toList();
                        int sum = 0;
                        try (Stream<GroupResult<Integer>> results = executor.completions(tasks.stream(), 8)) {
                            for (GroupResult<Integer> result : (Iterable<GroupResult<Integer>>) results::iterator) {
                                sum += running.during(result::value);
                            }
                        }
                        return sum;
                    }))
                    .toList();
            outer.forEach(handle -> assertThat(TestKit.resultOf(handle).value()).isEqualTo(50));
            assertThat(running.most()).isLessThanOrEqualTo(2);
            assertIdle(executor);
        }
    }

    @Test
    void futuresInsideATask() {
        try (GroupExecutor executor = limitOfOne()) {
            ExecutorService view = executor.asExecutorService("a");
            TaskHandle<Integer> outer = executor.submit("a", "outer", () -> {
                Future<Integer> ofView = view.submit(() -> 1);
                int first = ofView.get();
                int second = view.submit(() -> 2).get(30, TimeUnit.SECONDS);
                int third =
                        executor.submit("a", "inner", () -> 3).future().get().value();
                int fourth = view.invokeAll(List.<java.util.concurrent.Callable<Integer>>of(() -> 4))
                        .getFirst()
                        .get();
                return first + second + third + fourth;
            });
            assertThat(TestKit.resultOf(outer).value()).isEqualTo(10);
            assertIdle(executor);
        }
    }

    @Test
    void underAGlobalLimitOfOneInTheSameGroup() {
        try (GroupExecutor executor = globalLimitOfOne()) {
            TaskHandle<Integer> outer = executor.submit(
                    "a",
                    "outer",
                    () -> executor.submit("a", "inner", () -> 1).await().value());
            assertThat(TestKit.resultOf(outer).value()).isEqualTo(1);
            assertIdle(executor);
        }
    }

    @Test
    void underAGlobalLimitOfOneInAnotherGroup() {
        try (GroupExecutor executor = globalLimitOfOne()) {
            TaskHandle<Integer> outer = executor.submit("a", "outer", () -> {
                TaskHandle<Integer> inner =
                        executor.submit("b", "inner", () -> executor.stats().globalInFlightUsed());
                return inner.await().value();
            });
            assertThat(TestKit.resultOf(outer).value()).isEqualTo(1);
            assertIdle(executor);
        }
    }

    @Test
    void behindAFullGroupAndAFullGlobalLimit() {
        try (GroupExecutor executor = TestKit.executor(
                policy -> policy.defaultMaxConcurrencyPerGroup(1).globalMaxInFlight(2))) {
            BlockingTask first = BlockingTask.in(executor, "b");
            CountDownLatch waits = new CountDownLatch(1);
            TaskHandle<Integer> outer = executor.submit("a", "outer", () -> {
                TaskHandle<Integer> inner = executor.submit("b", "inner", () -> 1);
                waits.countDown();
                return inner.await().value();
            });
            TestKit.await(waits);
            BlockingTask other = BlockingTask.interruptible();
            executor.submit("c", "other", other); // takes the global permit that comes free
            executor.setGlobalMaxInFlight(1);
            first.release();
            assertThat(TestKit.resultOf(outer).value()).isEqualTo(1);
            other.release();
            assertIdle(executor);
        }
    }

    @Test
    void tenThousandLevelsDeep() {
        try (GroupExecutor executor = limitOfOne()) {
            assertThat(TestKit.resultOf(nested(executor, 10_000)).value()).isEqualTo(10_000);
            assertIdle(executor);
        }
    }

    private static TaskHandle<Integer> nested(GroupExecutor executor, int depth) {
        return executor.submit(
                "a",
                "level-" + depth,
                () -> depth == 0 ? 0 : nested(executor, depth - 1).await().value() + 1);
    }

    // ---- limits --------------------------------------------------------------------------------------------------

    @Test
    void neverMoreCodeRunsThanThereArePermits() {
        try (GroupExecutor executor = TestKit.executor(
                policy -> policy.defaultMaxConcurrencyPerGroup(2).globalMaxInFlight(3))) {
            Peak ofA = new Peak();
            List<TaskHandle<Integer>> outer = IntStream.range(0, 20)
                    .mapToObj(i -> executor.submit("a", "outer-" + i, () -> {
                        List<TaskHandle<Integer>> inner = IntStream.range(0, 5)
                                .mapToObj(j -> executor.submit(
                                        j == 4 ? "b" : "a", "inner", () -> j == 4 ? 1 : ofA.during(() -> 1)))
                                .toList();
                        int sum = 0;
                        for (TaskHandle<Integer> handle : inner) {
                            sum += handle.await().value();
                            ofA.during(() -> 1); // this task runs again
                        }
                        return sum;
                    }))
                    .toList();
            outer.forEach(handle -> assertThat(TestKit.resultOf(handle).value()).isEqualTo(5));
            assertThat(ofA.most()).isLessThanOrEqualTo(2);
            assertIdle(executor);
        }
    }

    @Test
    void thePermitIsLentInAPausedGroupToo() {
        try (GroupExecutor executor = limitOfOne()) {
            CountDownLatch paused = new CountDownLatch(1);
            TaskHandle<Integer> outer = executor.submit("a", "outer", () -> {
                TestKit.await(paused);
                return executor.submit("a", "inner", () -> 1).await().value();
            });
            TestKit.eventually(
                    () -> assertThat(executor.groupStats("a").orElseThrow().activeCount())
                            .isEqualTo(1));
            executor.pauseGroup("a");
            TaskHandle<Integer> unrelated = executor.submit("a", "unrelated", () -> 2);
            paused.countDown();
            assertThat(TestKit.resultOf(outer).value()).isEqualTo(1);
            assertThat(unrelated.isDone()).isFalse();
            executor.resumeGroup("a");
            assertThat(TestKit.resultOf(unrelated).value()).isEqualTo(2);
            assertIdle(executor);
        }
    }

    @Test
    void aLoweredLimitIsPaidOffAfterTheLoan() {
        try (GroupExecutor executor = TestKit.executor(policy -> policy.defaultMaxConcurrencyPerGroup(2))) {
            BlockingTask other = BlockingTask.in(executor, "a");
            CountDownLatch lowered = new CountDownLatch(1);
            TaskHandle<Integer> outer = executor.submit("a", "outer", () -> {
                TestKit.await(lowered);
                return executor.submit(
                                "a",
                                "inner",
                                () -> executor.groupStats("a").orElseThrow().activeCount())
                        .await()
                        .value();
            });
            TestKit.eventually(
                    () -> assertThat(executor.groupStats("a").orElseThrow().activeCount())
                            .isEqualTo(2));
            executor.setMaxConcurrency("a", 1);
            lowered.countDown();
            assertThat(TestKit.resultOf(outer).value()).isEqualTo(2);
            TaskHandle<Integer> next = executor.submit("a", "next", () -> 3);
            assertThat(next.isDone()).isFalse();
            other.release();
            assertThat(TestKit.resultOf(next).value()).isEqualTo(3);
            assertIdle(executor);
        }
    }

    @Test
    void aTaskThatIsRetriedIsLentThePermitAgain() {
        try (GroupExecutor executor = limitOfOne()) {
            AtomicInteger attempts = new AtomicInteger();
            TaskOptions retries = TaskOptions.builder()
                    .retry(RetryPolicy.fixedDelay(5, Duration.ofMillis(1)))
                    .build();
            TaskHandle<Integer> outer = executor.submit(
                    "a",
                    "outer",
                    () -> executor.submit(
                                    "a",
                                    "inner",
                                    () -> {
                                        if (attempts.incrementAndGet() < 4) {
                                            throw new IllegalStateException("again");
                                        }
                                        return attempts.get();
                                    },
                                    retries)
                            .await()
                            .value());
            assertThat(TestKit.resultOf(outer).value()).isEqualTo(4);
            assertIdle(executor);
        }
    }

    @Test
    void aTaskThatKeepsItsPermitBetweenAttemptsGivesItBackOnce() {
        try (GroupExecutor executor = limitOfOne()) {
            AtomicInteger attempts = new AtomicInteger();
            TaskOptions retries = TaskOptions.builder()
                    .retry(RetryPolicy.fixedDelay(3, Duration.ofMillis(1)).keepingPermit())
                    .build();
            TaskHandle<Boolean> outer = executor.submit(
                    "a",
                    "outer",
                    () -> executor.submit(
                                    "a",
                                    "inner",
                                    () -> {
                                        attempts.incrementAndGet();
                                        throw new IllegalStateException("always");
                                    },
                                    retries)
                            .await()
                            .isSuccess());
            assertThat(TestKit.resultOf(outer).value()).isFalse();
            assertThat(attempts).hasValue(3);
            assertIdle(executor);
        }
    }

    // ---- waits that end early ------------------------------------------------------------------------------------

    @Test
    void aWaitThatTimesOutTakesAPermitAndTheLimitIsOwed() {
        try (GroupExecutor executor = limitOfOne()) {
            BlockingTask inner = BlockingTask.interruptible();
            CountDownLatch timedOut = new CountDownLatch(1);
            CountDownLatch finish = new CountDownLatch(1);
            TaskHandle<TaskStatus> outer = executor.submit("a", "outer", () -> {
                TaskHandle<String> handle = executor.submit("a", "inner", inner);
                TaskStatus status = TaskStatus.SUCCESS;
                while (!inner.hasStarted()) {
                    status = handle.await(1, TimeUnit.MILLISECONDS).status();
                }
                timedOut.countDown();
                TestKit.await(finish);
                return status;
            });
            TestKit.await(timedOut);
            assertThat(executor.groupStats("a").orElseThrow().activeCount()).isEqualTo(2);
            TaskHandle<Integer> next = executor.submit("a", "next", () -> 1);
            finish.countDown();
            assertThat(TestKit.resultOf(outer).status()).isEqualTo(TaskStatus.SUCCESS);
            assertThat(next.isDone()).as("starts before the limit is paid off").isFalse();
            inner.release();
            assertThat(TestKit.resultOf(next).value()).isEqualTo(1);
            assertIdle(executor);
        }
    }

    @Test
    void anInterruptedWaitTakesAPermitUnderAGlobalLimitToo() {
        for (String group : List.of("a", "b")) {
            try (GroupExecutor executor = globalLimitOfOne()) {
                BlockingTask inner = BlockingTask.uninterruptible();
                AtomicReference<Thread> waiter = new AtomicReference<>();
                CountDownLatch interrupted = new CountDownLatch(1);
                CountDownLatch finish = new CountDownLatch(1);
                TaskHandle<Boolean> outer = executor.submit("a", "outer", () -> {
                    waiter.set(Thread.currentThread());
                    GroupResult<String> result =
                            executor.submit(group, "inner", inner).join();
                    boolean wasInterrupted = Thread.interrupted() && result.error() instanceof InterruptedException;
                    interrupted.countDown();
                    TestKit.await(finish);
                    return wasInterrupted;
                });
                TestKit.await(inner.started);
                waiter.get().interrupt();
                TestKit.await(interrupted);
                assertThat(executor.stats().globalInFlightUsed()).isEqualTo(2);
                TaskHandle<Integer> next = executor.submit("c", "next", () -> 1);
                finish.countDown();
                assertThat(TestKit.resultOf(outer).value()).isTrue();
                assertThat(next.isDone())
                        .as("starts before the limit is paid off")
                        .isFalse();
                inner.release();
                assertThat(TestKit.resultOf(next).value()).isEqualTo(1);
                assertIdle(executor);
            }
        }
    }

    @Test
    void aTaskWhoseHandleIsDoneKeepsThePermitUntilItReturns() {
        try (GroupExecutor executor = limitOfOne()) {
            BlockingTask inner = BlockingTask.uninterruptible();
            Peak running = new Peak();
            AtomicReference<TaskHandle<String>> handle = new AtomicReference<>();
            TaskHandle<TaskStatus> outer = executor.submit("a", "outer", () -> {
                handle.set(executor.submit("a", "inner", () -> running.during(inner::call)));
                TaskStatus status = handle.get().await().status();
                return running.during(() -> status);
            });
            TestKit.await(inner.started);
            handle.get().cancel(true);
            TestKit.await(inner.interrupted);
            TestKit.letOthersRun();
            assertThat(outer.isDone()).as("runs without a permit").isFalse();
            inner.release();
            assertThat(TestKit.resultOf(outer).value()).isEqualTo(TaskStatus.CANCELLED);
            assertThat(running.most()).isEqualTo(1);
            assertIdle(executor);
        }
    }

    /** A future of the view is done before its task has returned. That the wait has a time limit makes no difference before that has passed. */
    @Test
    void aTimedWaitForAFutureOfAViewKeepsTheLimitToo() {
        try (GroupExecutor executor = limitOfOne()) {
            ExecutorService view = executor.asExecutorService("a");
            BlockingTask inner = BlockingTask.uninterruptible();
            Peak running = new Peak();
            AtomicReference<Future<String>> future = new AtomicReference<>();
            TaskHandle<Boolean> outer = executor.submit("a", "outer", () -> {
                future.set(view.submit(() -> running.during(inner)));
                try {
                    future.get().get(30, TimeUnit.SECONDS);
                    return false;
                } catch (CancellationException e) {
                    return running.during(() -> true);
                }
            });
            TestKit.await(inner.started);
            future.get().cancel(true);
            TestKit.await(inner.interrupted);
            TestKit.letOthersRun();
            assertThat(outer.isDone()).as("runs without a permit").isFalse();
            inner.release();
            assertThat(TestKit.resultOf(outer).value()).isTrue();
            assertThat(running.most()).isEqualTo(1);
            assertIdle(executor);
        }
    }

    /** The thread whose permit is lent asks for another one. Nobody has submitted that. */
    @Test
    void theRequestOfAThreadWhosePermitIsLentIsNotReportedAsDropped() {
        GroupExecutor executor = limitOfOne();
        BlockingTask inner = BlockingTask.uninterruptible();
        AtomicReference<TaskHandle<String>> handle = new AtomicReference<>();
        TaskHandle<TaskStatus> outer = executor.submit("a", "outer", () -> {
            handle.set(executor.submit("a", "inner", inner));
            return handle.get().await().status();
        });
        TestKit.await(inner.started);
        handle.get().cancel(true);
        TestKit.eventually(
                () -> assertThat(executor.groupStats("a").orElseThrow().queuedCount())
                        .as("the waiting thread asks for another permit")
                        .isEqualTo(1));
        ShutdownReport report = executor.shutdown(Duration.ZERO, ShutdownMode.FINISH_RUNNING);
        inner.release();
        assertThat(report.dropped()).isEmpty();
        assertThat(report.droppedCount()).isZero();
        assertThat(outer.isDone()).isTrue();
    }

    @Test
    void aWaitThatIsOverGetsAnotherPermitOfTheGroupFirst() {
        try (GroupExecutor executor = TestKit.executor(policy -> policy.defaultMaxConcurrencyPerGroup(2))) {
            BlockingTask other = BlockingTask.in(executor, "a");
            BlockingTask inner = BlockingTask.uninterruptible();
            AtomicReference<TaskHandle<String>> handle = new AtomicReference<>();
            TaskHandle<TaskStatus> outer = executor.submit("a", "outer", () -> {
                handle.set(executor.submit("a", "inner", inner));
                return handle.get().await().status();
            });
            TestKit.await(inner.started);
            BlockingTask queued = BlockingTask.interruptible();
            executor.submit("a", "queued", queued);
            handle.get().cancel(true);
            TestKit.await(inner.interrupted);
            TestKit.eventually(
                    () -> assertThat(executor.groupStats("a").orElseThrow().queuedCount())
                            .as("the waiting thread asks for another permit")
                            .isEqualTo(2));
            other.release();
            assertThat(TestKit.resultOf(outer).value()).isEqualTo(TaskStatus.CANCELLED);
            TestKit.await(queued.started); // on the permit of the outer task
            queued.release();
            inner.release();
            assertIdle(executor);
        }
    }

    // ---- what else may happen to the awaited task ----------------------------------------------------------------

    @Test
    void aShutdownInBetweenCompletesEveryHandle() {
        for (int round = 0; round < 50; round++) {
            GroupExecutor executor = globalLimitOfOne();
            ConcurrentLinkedQueue<TaskHandle<?>> handles = new ConcurrentLinkedQueue<>();
            CountDownLatch started = new CountDownLatch(1);
            for (String key : List.of("a", "b")) {
                handles.add(executor.submit(key, "outer", () -> {
                    started.countDown();
                    for (int i = 0; i < 100; i++) {
                        TaskHandle<Integer> inner = executor.submit(i % 2 == 0 ? "a" : "b", "inner", () -> 1);
                        handles.add(inner);
                        inner.await();
                    }
                    return 1;
                }));
            }
            TestKit.await(started);
            executor.shutdown();
            TestKit.eventually(() -> assertThat(handles).allMatch(TaskHandle::isDone));
        }
    }

    @Test
    void aDrainCompletesTasksThatWaitForQueuedOnes() {
        GroupExecutor executor = globalLimitOfOne();
        CountDownLatch submitted = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        TaskHandle<Integer> outer = executor.submit("a", "outer", () -> {
            TaskHandle<Integer> same = executor.submit("a", "inner", () -> 1);
            TaskHandle<Integer> other = executor.submit("b", "inner", () -> 2);
            submitted.countDown();
            TestKit.await(closed);
            return same.await().value() + other.await().value();
        });
        TestKit.await(submitted);
        Thread drain = Thread.ofVirtual().start(() -> executor.shutdown(TestKit.PATIENCE));
        TestKit.eventually(() -> assertThat(
                        org.assertj.core.api.Assertions.catchThrowable(() -> executor.submit("a", "late", () -> 1)))
                .isNotNull());
        closed.countDown();
        assertThat(TestKit.resultOf(outer).value()).isEqualTo(3);
        TestKit.eventually(() -> assertThat(drain.isAlive()).isFalse());
    }

    @Test
    void aTaskThatIsAwaitedByTwoTasksStartsOnce() {
        try (GroupExecutor executor = TestKit.executor(policy -> policy.defaultMaxConcurrencyPerGroup(2))) {
            for (int round = 0; round < 200; round++) {
                AtomicInteger runs = new AtomicInteger();
                AtomicReference<TaskHandle<Integer>> shared = new AtomicReference<>();
                CountDownLatch bothRun = new CountDownLatch(2);
                CountDownLatch ready = new CountDownLatch(1);
                List<TaskHandle<Integer>> outer = IntStream.range(0, 2)
                        .mapToObj(i -> executor.submit("a", "outer-" + i, () -> {
                            bothRun.countDown();
                            TestKit.await(ready);
                            return shared.get().await().value();
                        }))
                        .toList();
                TestKit.await(bothRun);
                shared.set(executor.submit("a", "inner", runs::incrementAndGet));
                ready.countDown();
                outer.forEach(
                        handle -> assertThat(TestKit.resultOf(handle).value()).isEqualTo(1));
                assertThat(runs).hasValue(1);
            }
            assertIdle(executor);
        }
    }

    @Test
    void aPermitThatAnotherThreadClosesWhileItIsLentIsReleasedOnce() throws Exception {
        try (GroupExecutor executor = limitOfOne()) {
            BlockingTask inner = BlockingTask.interruptible();
            AtomicReference<Permit> permit = new AtomicReference<>();
            TestKit.Caller<String> waiter = TestKit.Caller.of(() -> {
                permit.set(executor.acquire("a"));
                return executor.submit("a", "inner", inner).await().value();
            });
            TestKit.await(inner.started);
            permit.get().close();
            assertThat(executor.groupStats("a").orElseThrow().activeCount()).isEqualTo(1);
            inner.release();
            assertThat(waiter.result()).isEqualTo("released");
            assertIdle(executor);
            try (Permit again = executor.tryAcquire("a", Duration.ZERO).permit()) {
                assertThat(again.groupKey()).isEqualTo("a");
            }
        }
    }
}
