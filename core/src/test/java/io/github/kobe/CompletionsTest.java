package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterator;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does the stream of completions return every result on completion, and submit no more tasks than the window allows? */
@Timeout(60)
class CompletionsTest {

    /** The limit of a group is the length of its key. */
    private final GroupExecutor executor = executor(b -> b.concurrencyResolver(String::length));

    private final AtomicInteger taken = new AtomicInteger();

    @AfterEach
    void close() {
        executor.close();
    }

    private static <T> GroupTask<T> task(String group, Callable<T> task) {
        return new GroupTask<>(group, "t", task);
    }

    /** An endless source that counts the tasks taken from it. */
    private Stream<GroupTask<Integer>> endless() {
        return Stream.generate(() -> {
            int number = taken.incrementAndGet();
            return task("groupOfTen", () -> number);
        });
    }

    /** A source of these tasks that counts the tasks taken from it. */
    private Stream<GroupTask<String>> counted(List<GroupTask<String>> tasks) {
        return tasks.stream().peek(task -> taken.incrementAndGet());
    }

    private static List<BlockingTask> blockers(int number) {
        return Stream.generate(BlockingTask::interruptible).limit(number).toList();
    }

    /** Creates tasks, each in its own group. */
    private static List<GroupTask<String>> tasks(List<BlockingTask> blockers) {
        List<GroupTask<String>> tasks = new ArrayList<>();
        for (BlockingTask blocker : blockers) {
            tasks.add(new GroupTask<>("g" + tasks.size(), "t" + tasks.size(), blocker));
        }
        return tasks;
    }

    // ---- results ----------------------------------------------------------------------------------------------------

    @Test
    void resultsAreInTheOrderOfCompletion() {
        List<BlockingTask> blockers = blockers(4);
        try (Stream<GroupResult<String>> stream = executor.completions(tasks(blockers))) {
            Iterator<GroupResult<String>> results = stream.iterator();
            for (int next : new int[] {2, 0, 3, 1}) {
                blockers.get(next).release();
                assertThat(results.next().taskId()).isEqualTo("t" + next);
            }
            assertThat(results.hasNext()).isFalse();
        }
    }

    @Test
    void resultIsReturnedWhileOtherTasksRun() {
        BlockingTask blocker = BlockingTask.interruptible();
        try (Stream<GroupResult<String>> stream =
                executor.completions(List.of(task("a", blocker), task("b", () -> "ran")))) {
            assertThat(stream.findFirst().orElseThrow().value()).isEqualTo("ran");
            assertThat(blocker.hasEnded()).isFalse();
        }
    }

    @Test
    void everyTaskHasOneResult() {
        List<GroupTask<Integer>> tasks = IntStream.range(0, 2000)
                .mapToObj(i -> task("abc" + i % 3, () -> i))
                .toList();
        try (Stream<GroupResult<Integer>> stream = executor.completions(tasks)) {
            assertThat(stream.map(GroupResult::value))
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 2000).boxed().toList());
        }
    }

    @Test
    void noTasksGiveNoResults() {
        assertThat(executor.completions(List.<GroupTask<String>>of())).isEmpty();
        assertThat(executor.completions(Stream.<GroupTask<String>>empty(), 1)).isEmpty();
    }

    @Test
    void failuresAndCancellationsAreAmongTheResults() {
        Exception failure = new Exception("on purpose");
        List<GroupTask<String>> tasks = List.of(
                task("a", () -> {
                    throw failure;
                }),
                task("b", () -> {
                    throw new CancellationException("on purpose");
                }),
                task("c", () -> "ran"));
        assertThat(executor.completions(tasks))
                .extracting(GroupResult::status)
                .containsExactlyInAnyOrder(TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.SUCCESS);
    }

    @Test
    void rejectionsAreAmongTheResultsUnderEachPolicy() {
        for (RejectionPolicy policy : List.of(RejectionPolicy.ABORT, RejectionPolicy.DISCARD)) {
            try (GroupExecutor full =
                    executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(policy))) {
                BlockingTask blocker = BlockingTask.in(full, "full");
                List<GroupResult<String>> results =
                        full.completions(List.of(task("full", () -> "ran"))).toList();
                assertThat(results).extracting(GroupResult::status).containsExactly(TaskStatus.REJECTED);
                assertThat(results.getFirst().rejection().reason()).isEqualTo(RejectionReason.GROUP_QUEUE_FULL);
                blocker.release();
            }
        }
    }

    @Test
    void callerRunsRunsRejectedTasksOnTheConsumingThread() {
        try (GroupExecutor full =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.CALLER_RUNS))) {
            BlockingTask blocker = BlockingTask.in(full, "full");
            assertThat(full.completions(List.of(task("full", Thread::currentThread)))
                            .map(GroupResult::value))
                    .containsExactly(Thread.currentThread());
            blocker.release();
        }
    }

    @Test
    void countRunsTheTasksEvenIfTheSizeIsKnown() {
        AtomicInteger ran = new AtomicInteger();
        assertThat(executor.completions(List.of(task("a", ran::incrementAndGet), task("b", ran::incrementAndGet)))
                        .count())
                .isEqualTo(2);
        assertThat(ran).hasValue(2);
    }

    @Test
    void streamIsSequentialNonNullUnorderedAndUnsized() {
        Stream<GroupResult<String>> stream = executor.completions(List.of(task("a", () -> "ran")));
        assertThat(stream.isParallel()).isFalse();
        Spliterator<GroupResult<String>> results = stream.spliterator();
        assertThat(results.hasCharacteristics(Spliterator.NONNULL)).isTrue();
        assertThat(results.hasCharacteristics(Spliterator.ORDERED)).isFalse();
        assertThat(results.hasCharacteristics(Spliterator.SIZED)).isFalse();
    }

    @Test
    void parallelStreamGivesTheSameResults() {
        Stream<GroupTask<Integer>> tasks = IntStream.range(0, 500).parallel().mapToObj(i -> task("abc", () -> i));
        assertThat(executor.completions(tasks, 7)
                        .parallel()
                        .mapToInt(GroupResult::value)
                        .sum())
                .isEqualTo(499 * 500 / 2);
    }

    @Test
    void taskMayConsumeCompletions() {
        TaskHandle<Integer> outer = executor.submit(
                "g",
                "outer",
                () -> executor.completions(List.of(task("x", () -> 1), task("y", () -> 2), task("x", () -> 3)))
                        .mapToInt(GroupResult::value)
                        .sum());
        assertThat(TestKit.resultOf(outer).value()).isEqualTo(6);
    }

    // ---- submission and window --------------------------------------------------------------------------------------

    @Test
    void noTaskIsSubmittedBeforeTheStreamIsConsumed() {
        try (Stream<GroupResult<Integer>> stream = executor.completions(endless(), 5)) {
            letOthersRun();
            assertThat(taken).hasValue(0);
            assertThat(executor.activeGroupKeys()).isEmpty();
            assertThat(stream.findFirst()).isPresent();
        }
    }

    @Test
    void windowLimitsTasksInFlight() {
        List<BlockingTask> blockers = blockers(6);
        try (Stream<GroupResult<String>> stream = executor.completions(counted(tasks(blockers)), 3)) {
            Iterator<GroupResult<String>> results = stream.iterator();
            Caller<String> first = Caller.of(() -> results.next().taskId());
            blockers.subList(0, 3).forEach(blocker -> await(blocker.started));
            first.awaitWaiting();
            assertThat(taken).hasValue(3);
            blockers.get(1).release();
            assertThat(resultOf(first)).isEqualTo("t1");
            letOthersRun();
            assertThat(taken)
                    .as("the next task is taken when the next result is requested")
                    .hasValue(3);
            Caller<String> second = Caller.of(() -> results.next().taskId());
            await(blockers.get(3).started);
            second.awaitWaiting();
            assertThat(taken).hasValue(4);
            blockers.forEach(BlockingTask::release);
            resultOf(second);
            results.forEachRemaining(result -> {});
            assertThat(taken).hasValue(6);
        }
    }

    private static <T> T resultOf(Caller<T> caller) {
        try {
            return caller.result();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void completedTasksCountUntilTheirResultsAreConsumed() {
        for (int window : new int[] {1, 2, 7}) {
            taken.set(0);
            AtomicInteger given = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            Stream<GroupTask<Integer>> source =
                    endless().peek(task -> most.accumulateAndGet(taken.get() - given.get(), Math::max));
            try (Stream<GroupResult<Integer>> stream = executor.completions(source, window)) {
                stream.limit(1000).forEach(result -> {
                    given.incrementAndGet();
                    if (given.get() % 100 == 0) {
                        letOthersRun(); // all tasks in flight complete before the next result is requested
                    }
                });
            }
            assertThat(most.get()).isBetween(1, window);
        }
    }

    @Test
    void windowLimitsTasksOfAListToo() {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        List<GroupTask<String>> tasks = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            tasks.add(task("g", () -> "ran"));
        }
        try (Stream<GroupResult<String>> stream = executor.completions(tasks)) {
            Caller<Long> consumer = Caller.of(stream::count);
            eventually(() -> assertThat(executor.stats().totalQueuedCount()).isEqualTo(256));
            consumer.awaitWaiting();
            assertThat(executor.stats().totalQueuedCount()).isEqualTo(256);
            blocker.release();
            assertThat(resultOf(consumer)).isEqualTo(1000);
        }
    }

    @Test
    void listIsCopiedAtTheCall() {
        List<GroupTask<String>> tasks = new ArrayList<>(List.of(task("a", () -> "ran")));
        Stream<GroupResult<String>> stream = executor.completions(tasks);
        tasks.clear();
        assertThat(stream).hasSize(1);
    }

    // ---- close, interruption and shutdown ---------------------------------------------------------------------------

    @Test
    void closeCancelsTasksWithoutConsumedResultAndClosesTheSource() {
        AtomicBoolean sourceClosed = new AtomicBoolean();
        List<BlockingTask> blockers = blockers(3);
        AtomicBoolean queuedRan = new AtomicBoolean();
        BlockingTask.in(executor, "f"); // not part of the stream
        List<GroupTask<String>> tasks = new ArrayList<>(tasks(blockers));
        tasks.add(task("f", () -> "ran " + queuedRan.getAndSet(true)));
        try (Stream<GroupResult<String>> stream =
                executor.completions(tasks.stream().onClose(() -> sourceClosed.set(true)), 10)) {
            Iterator<GroupResult<String>> results = stream.iterator();
            Caller<String> first = Caller.of(() -> results.next().taskId());
            eventually(() -> assertThat(executor.stats().totalQueuedCount()).isEqualTo(1));
            blockers.get(0).release();
            assertThat(resultOf(first)).isEqualTo("t0");
            assertThat(sourceClosed).isFalse();
        }
        assertThat(sourceClosed).isTrue();
        await(blockers.get(1).interrupted);
        await(blockers.get(2).interrupted);
        assertThat(executor.stats().totalQueuedCount()).isZero();
        assertThat(executor.stats().counts().cancelled()).isEqualTo(3);
        assertThat(queuedRan).isFalse();
    }

    @Test
    void closingAnUnusedStreamSubmitsNothingAndClosesTheSource() {
        AtomicBoolean sourceClosed = new AtomicBoolean();
        executor.completions(endless().onClose(() -> sourceClosed.set(true)), 3).close();
        assertThat(sourceClosed).isTrue();
        assertThat(taken).hasValue(0);
    }

    @Test
    void noResultFollowsAClose() {
        Stream<GroupResult<Integer>> stream = executor.completions(endless(), 3);
        Iterator<GroupResult<Integer>> results = stream.iterator();
        results.next();
        stream.close();
        int before = taken.get();
        assertThat(results.hasNext()).isFalse();
        assertThat(taken).hasValue(before);
    }

    @Test
    void closeByAnotherThreadWakesAWaitingConsumer() throws Exception {
        List<BlockingTask> blockers = blockers(2);
        Stream<GroupResult<String>> stream = executor.completions(tasks(blockers));
        Caller<Long> consumer = Caller.of(stream::count);
        blockers.forEach(blocker -> await(blocker.started));
        consumer.awaitWaiting();
        stream.close();
        assertThat(consumer.result()).isZero();
        blockers.forEach(blocker -> await(blocker.interrupted));
    }

    @Test
    void limitEndsAnEndlessSource() {
        try (Stream<GroupResult<Integer>> stream = executor.completions(endless(), 4)) {
            assertThat(stream.limit(50)).hasSize(50);
        }
        assertThat(taken.get()).isBetween(50, 54);
        eventually(() -> assertThat(executor.stats().totalActiveCount()).isZero());
    }

    @Test
    void shortCircuitDoesNotWaitForOtherTasks() {
        BlockingTask blocker = BlockingTask.interruptible();
        try (Stream<GroupResult<String>> stream =
                executor.completions(Stream.concat(Stream.of(task("a", blocker)), endlessStrings()), 3)) {
            assertThat(stream.anyMatch(GroupResult::isSuccess)).isTrue();
        }
        await(blocker.interrupted);
    }

    private static Stream<GroupTask<String>> endlessStrings() {
        return Stream.generate(() -> task("b", () -> "ran"));
    }

    @Test
    void interruptedConsumerCancelsTasksInFlightAndKeepsItsInterruptFlag() throws Exception {
        List<BlockingTask> blockers = blockers(2);
        AtomicBoolean flag = new AtomicBoolean();
        Caller<Throwable> consumer = Caller.of(() -> {
            Throwable thrown = catchThrowable(
                    () -> executor.completions(counted(tasks(blockers)), 2).count());
            flag.set(Thread.currentThread().isInterrupted());
            return thrown;
        });
        blockers.forEach(blocker -> await(blocker.started));
        consumer.interruptWhenWaiting();
        assertThat(consumer.result())
                .isInstanceOf(CancellationException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(flag).isTrue();
        blockers.forEach(blocker -> await(blocker.interrupted));
    }

    @Test
    void consumerInterruptedBeforehandSubmitsNothing() throws Exception {
        Caller<Throwable> consumer = Caller.of(() -> {
            Thread.currentThread().interrupt();
            return catchThrowable(() -> executor.completions(endless(), 3).count());
        });
        assertThat(consumer.result()).isInstanceOf(CancellationException.class);
        assertThat(taken).hasValue(0);
    }

    @Test
    void shutdownDuringConsumptionIsThrownAndTasksInFlightAreCancelled() throws Exception {
        List<BlockingTask> blockers = blockers(2);
        List<GroupTask<String>> tasks = new ArrayList<>(tasks(blockers));
        tasks.add(task("never", () -> "ran"));
        try (Stream<GroupResult<String>> stream = executor.completions(tasks.stream(), 2)) {
            Iterator<GroupResult<String>> results = stream.iterator();
            Caller<String> first = Caller.of(() -> results.next().taskId());
            await(blockers.get(1).started);
            blockers.get(0).release();
            assertThat(first.result()).isEqualTo("t0");
            Caller<Boolean> drain = Caller.of(() -> executor.shutdown(TestKit.PATIENCE));
            drain.awaitWaiting();
            assertThatIllegalStateException().isThrownBy(results::hasNext);
            await(blockers.get(1).interrupted);
            assertThat(drain.result()).isTrue();
        }
    }

    @Test
    void shutdownAfterTheLastSubmissionGivesCancelledResults() throws Exception {
        List<BlockingTask> blockers = blockers(2);
        Caller<List<TaskStatus>> consumer = Caller.of(() ->
                executor.completions(tasks(blockers)).map(GroupResult::status).toList());
        blockers.forEach(blocker -> await(blocker.started));
        consumer.awaitWaiting();
        executor.shutdown();
        assertThat(consumer.result()).containsExactly(TaskStatus.CANCELLED, TaskStatus.CANCELLED);
    }

    @Test
    void exceptionFromTheSourceIsRethrownAndTasksInFlightAreCancelled() {
        BlockingTask blocker = BlockingTask.interruptible();
        Stream<GroupTask<String>> source = Stream.of(1, 2).map(number -> {
            if (number == 2) {
                await(blocker.started);
                throw new IllegalStateException("bad source");
            }
            return task("a", blocker);
        });
        assertThatThrownBy(() -> executor.completions(source, 5).count()).hasMessage("bad source");
        await(blocker.interrupted);
    }

    @Test
    void exceptionFromTheConsumerIsRethrownAndTasksInFlightAreCancelled() {
        BlockingTask blocker = BlockingTask.interruptible();
        Stream<GroupTask<String>> source = Stream.of(task("a", blocker), task("b", () -> "ran"));
        assertThatThrownBy(() -> executor.completions(source, 5).forEach(result -> {
                    await(blocker.started);
                    throw new IllegalStateException("bad consumer");
                }))
                .hasMessage("bad consumer");
        await(blocker.interrupted);
    }

    // ---- invalid arguments ------------------------------------------------------------------------------------------

    @Test
    void windowBelowOneThrowsWithNameAndValue() {
        for (int window : new int[] {0, -3}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> executor.completions(endless(), window))
                    .withMessage("window must be at least 1, but is " + window);
        }
    }

    @Test
    void nullArgumentThrowsWithItsName() {
        assertThatNullPointerException()
                .isThrownBy(() -> executor.completions(null, 1))
                .withMessage("tasks");
        assertThatNullPointerException()
                .isThrownBy(() -> executor.completions(null))
                .withMessage("tasks");
        List<GroupTask<String>> withNull = Arrays.asList(task("a", () -> "ran"), null);
        assertThatNullPointerException()
                .isThrownBy(() -> executor.completions(withNull))
                .withMessage("tasks[1]");
        assertThatNullPointerException()
                .isThrownBy(() -> executor.completions(withNull.stream(), 5).count())
                .withMessage("tasks[1]");
    }

    @Test
    void completionsAfterShutdownThrows() {
        executor.shutdown();
        assertThatIllegalStateException().isThrownBy(() -> executor.completions(endless(), 3));
        assertThatIllegalStateException().isThrownBy(() -> executor.completions(List.of(task("a", () -> "ran"))));
    }
}
