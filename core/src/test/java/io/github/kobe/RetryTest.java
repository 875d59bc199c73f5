package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import io.github.kobe.TestKit.Peak;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many attempts does a task have, and what is its outcome? {@link RetryDelayTest} tests the time between attempts. */
@Timeout(60)
class RetryTest {

    private final GroupExecutor executor = executor(b -> b);

    @AfterEach
    void close() {
        executor.close();
    }

    private static TaskOptions retry(RetryPolicy policy) {
        return TaskOptions.builder().retry(policy).build();
    }

    private <T> TaskHandle<T> submit(Callable<T> task, RetryPolicy policy) {
        return executor.submit("g", "t", task, retry(policy));
    }

    private TaskCounts counts() {
        return executor.groupStats("g").orElseThrow().counts();
    }

    @Test
    void taskThatSucceedsAtItsThirdAttemptSucceeds() {
        Flaky flaky = Flaky.failing(2);
        GroupResult<String> result = resultOf(submit(flaky, RetryPolicy.attempts(5)));
        assertThat(result.status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(result.value()).isEqualTo("succeeded");
        assertThat(result.error()).isNull();
        assertThat(flaky.attempts()).isEqualTo(3);
    }

    @Test
    void taskThatSucceedsAtOnceHasOneAttempt() {
        Flaky flaky = Flaky.failing(0);
        assertThat(resultOf(submit(flaky, RetryPolicy.attempts(5))).value()).isEqualTo("succeeded");
        assertThat(flaky.attempts()).isEqualTo(1);
        assertThat(counts().retried()).isZero();
    }

    @Test
    void numberOfAttemptsIncludesTheFirst() {
        for (int attempts = 1; attempts <= 4; attempts++) {
            Flaky flaky = Flaky.failingAlways();
            assertThat(resultOf(submit(flaky, RetryPolicy.attempts(attempts))).status())
                    .isEqualTo(TaskStatus.FAILED);
            assertThat(flaky.attempts()).isEqualTo(attempts);
        }
    }

    @Test
    void exhaustedTaskFailsWithTheLastErrorAndSuppressesEarlierOnesInOrder() {
        Flaky flaky = Flaky.failingAlways();
        GroupResult<String> result = resultOf(submit(flaky, RetryPolicy.attempts(4)));
        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(flaky.thrown.get(3)).hasMessage("attempt 4");
        assertThat(result.error().getSuppressed()).containsExactlyElementsOf(flaky.thrown.subList(0, 3));
    }

    @Test
    void errorsAreRetriedToo() {
        AtomicInteger attempts = new AtomicInteger();
        Callable<String> task = () -> {
            if (attempts.incrementAndGet() == 1) {
                throw new StackOverflowError("on purpose");
            }
            return "ran";
        };
        assertThat(resultOf(submit(task, RetryPolicy.attempts(2))).value()).isEqualTo("ran");
    }

    @Test
    void sameExceptionThrownByEachAttemptDoesNotSuppressItself() {
        IOException same = new IOException("always the same");
        AtomicInteger attempts = new AtomicInteger();
        Callable<String> task = () -> {
            attempts.incrementAndGet();
            throw same;
        };
        GroupResult<String> result = resultOf(submit(task, RetryPolicy.attempts(3)));
        assertThat(result.error()).isSameAs(same);
        assertThat(same.getSuppressed()).isEmpty();
        assertThat(attempts).hasValue(3);
    }

    @Test
    void delaysApplyToAllAttempts() {
        Duration tiny = Duration.ofNanos(1000);
        for (RetryPolicy policy : List.of(
                RetryPolicy.fixedDelay(3, tiny),
                RetryPolicy.exponentialBackoff(3, tiny, 2, Duration.ofMillis(1)).withJitter(0.5),
                RetryPolicy.builder()
                        .maxAttempts(3)
                        .delay(failed -> tiny.multipliedBy(failed))
                        .build(),
                RetryPolicy.fixedDelay(3, tiny).keepingPermit())) {
            Flaky flaky = Flaky.failing(2);
            assertThat(resultOf(submit(flaky, policy)).value())
                    .as(policy.toString())
                    .isEqualTo("succeeded");
            assertThat(flaky.attempts()).isEqualTo(3);
        }
    }

    @Test
    void delayComesFromTheFailureIfThatSaysOne() {
        List<Duration> delays = new CopyOnWriteArrayList<>();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
                delays.add(delay);
            }
        };
        RetryPolicy policy = RetryPolicy.fixedDelay(3, Duration.ofNanos(7))
                .delayFrom(fault ->
                        fault.getMessage().equals("attempt 2") ? Optional.of(Duration.ofNanos(2)) : Optional.empty());
        try (GroupExecutor observed = executor(b -> b.taskLifecycleListener(listener))) {
            assertThat(resultOf(observed.submit("g", "t", Flaky.failing(2), retry(policy)))
                            .value())
                    .isEqualTo("succeeded");
        }
        assertThat(delays).containsExactly(Duration.ofNanos(7), Duration.ofNanos(2));
    }

    @Test
    void noRetryIsOneAttemptWithOtherOptions() {
        Flaky flaky = Flaky.failingAlways();
        TaskOptions options =
                retry(RetryPolicy.noRetry()).toBuilder().tag("tag").build();
        assertThat(resultOf(executor.submit("g", "t", flaky, options)).error()).isSameAs(flaky.thrown.getFirst());
        assertThat(flaky.attempts()).isEqualTo(1);
    }

    @Test
    void failureRejectedByThePredicateIsNotRetried() {
        List<Throwable> asked = new CopyOnWriteArrayList<>();
        Flaky flaky = Flaky.failingAlways();
        GroupResult<String> result =
                resultOf(submit(flaky, RetryPolicy.attempts(3).retryIf(fault -> {
                    asked.add(fault);
                    return asked.size() < 2;
                })));
        assertThat(result.error()).isSameAs(flaky.thrown.get(1));
        assertThat(result.error().getSuppressed()).containsExactly(flaky.thrown.get(0));
        assertThat(asked).containsExactlyElementsOf(flaky.thrown);
        assertThat(flaky.attempts()).isEqualTo(2);
    }

    // ---- undesired values -------------------------------------------------------------------------------------------

    /** Returns 1 at its first attempt, 2 at its second, and so on. */
    private static Callable<Integer> counting(AtomicInteger attempts) {
        return attempts::incrementAndGet;
    }

    private static RetryPolicy untilAtLeast(int value, int attempts) {
        return RetryPolicy.attempts(attempts).retryOnResult(result -> result instanceof Integer n && n < value);
    }

    @Test
    void undesiredValueIsRetriedUntilThereIsADesiredOne() {
        AtomicInteger attempts = new AtomicInteger();
        GroupResult<Integer> result = resultOf(submit(counting(attempts), untilAtLeast(3, 5)));
        assertThat(result.status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(result.value()).isEqualTo(3);
        assertThat(counts()).isEqualTo(new TaskCounts(1, 1, 0, 0, 0, 2, Map.of()));
    }

    @Test
    void lastUndesiredValueIsTheOutcome() {
        AtomicInteger attempts = new AtomicInteger();
        GroupResult<Integer> result = resultOf(submit(counting(attempts), untilAtLeast(9, 3)));
        assertThat(result.status()).isEqualTo(TaskStatus.SUCCESS);
        assertThat(result.value()).isEqualTo(3);
        assertThat(result.error()).isNull();
        assertThat(attempts).hasValue(3);
    }

    @Test
    void nullMayBeAnUndesiredValue() {
        AtomicInteger attempts = new AtomicInteger();
        Callable<String> task = () -> attempts.incrementAndGet() == 1 ? null : "found";
        assertThat(resultOf(submit(task, RetryPolicy.attempts(2).retryOnResult(Objects::isNull)))
                        .value())
                .isEqualTo("found");
    }

    @Test
    void undesiredValuesAreSuppressedInALaterFailure() {
        AtomicInteger attempts = new AtomicInteger();
        IOException fault = new IOException("on purpose");
        Callable<Integer> task = () -> {
            if (attempts.incrementAndGet() == 3) {
                throw fault;
            }
            return attempts.get();
        };
        GroupResult<Integer> result = resultOf(submit(task, untilAtLeast(9, 3)));
        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(fault);
        assertThat(fault.getSuppressed())
                .extracting(earlier -> ((UndesiredResultException) earlier).value())
                .containsExactly(1, 2);
    }

    @Test
    void listenerAndHooksLearnOfUndesiredValues() {
        List<Object> seen = new CopyOnWriteArrayList<>();
        TaskLifecycleListener listener = new TaskLifecycleListener() {
            @Override
            public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
                seen.add("retry of " + ((UndesiredResultException) fault).value());
            }
        };
        TaskOptions options = TaskOptions.builder()
                .retry(untilAtLeast(2, 5))
                .after((task, fault) -> seen.add("after " + fault))
                .recovery(fault -> seen.add("recovery"))
                .build();
        try (GroupExecutor observed = executor(b -> b.taskLifecycleListener(listener))) {
            assertThat(resultOf(observed.submit("g", "t", counting(new AtomicInteger()), options))
                            .value())
                    .isEqualTo(2);
        }
        assertThat(seen).as("the attempt returned").containsExactly("after null", "retry of 1", "after null");
    }

    @Test
    void throwingPredicateForValuesIsReportedAndTheValueIsTheOutcome() {
        try (Log log = new Log()) {
            RetryPolicy bad = RetryPolicy.attempts(3).retryOnResult(value -> {
                throw new IllegalStateException("bad predicate for values");
            });
            assertThat(resultOf(submit(counting(new AtomicInteger()), bad)).value())
                    .isEqualTo(1);
            assertThat(log.lines("bad predicate for values"))
                    .singleElement()
                    .asString()
                    .contains("retry policy");
        }
    }

    @Test
    void taskCancelledBetweenUndesiredValuesIsCancelled() {
        RetryPolicy policy = RetryPolicy.fixedDelay(3, Duration.ofHours(1)).retryOnResult(value -> true);
        TaskHandle<Integer> handle = submit(counting(new AtomicInteger()), policy);
        TestKit.eventually(() -> assertThat(counts().retried()).isEqualTo(1));
        assertThat(handle.cancel(true)).isTrue();
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(resultOf(handle).value()).isNull();
        TestKit.eventually(
                () -> assertThat(executor.groupStats("g").orElseThrow().retryingCount())
                        .isZero());
    }

    @Test
    void callerRunsTakesTheFirstValue() {
        try (GroupExecutor full =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.CALLER_RUNS))) {
            BlockingTask blocker = BlockingTask.in(full, "g");
            TaskHandle<Integer> handle =
                    full.submit("g", "t", counting(new AtomicInteger()), retry(untilAtLeast(9, 3)));
            assertThat(resultOf(handle).value()).isEqualTo(1);
            blocker.release();
        }
    }

    @Test
    void throwingPredicateIsReportedAndEndsTheAttempts() {
        try (Log log = new Log()) {
            Flaky flaky = Flaky.failingAlways();
            GroupResult<String> result =
                    resultOf(submit(flaky, RetryPolicy.attempts(3).retryIf(fault -> {
                        throw new IllegalStateException("bad predicate");
                    })));
            assertThat(result.error()).isSameAs(flaky.thrown.getFirst());
            assertThat(flaky.attempts()).isEqualTo(1);
            assertThat(log.lines("bad predicate")).singleElement().asString().contains("retry policy", "'t'", "'g'");
            assertThat(executor.toString()).contains("1 faults in callbacks");
        }
    }

    @Test
    void invalidDelayFunctionIsReportedAndEndsTheAttempts() {
        try (Log log = new Log()) {
            RetryPolicy.Builder three = RetryPolicy.builder().maxAttempts(3);
            for (RetryPolicy bad : List.of(
                    three.delay(failed -> {
                                throw new IllegalStateException("bad delay");
                            })
                            .build(),
                    three.delay(failed -> Duration.ofSeconds(-1)).build())) {
                Flaky flaky = Flaky.failingAlways();
                assertThat(resultOf(submit(flaky, bad)).error()).isSameAs(flaky.thrown.getFirst());
                assertThat(flaky.attempts()).isEqualTo(1);
            }
            assertThat(log.lines("retry policy")).hasSize(2);
            assertThat(executor.toString()).contains("2 faults in callbacks");
        }
    }

    @Test
    void interruptionIsNeverRetried() {
        assertTriedOnceAndCancelled(new InterruptedException("on purpose"));
    }

    @Test
    void cancellationIsNeverRetried() {
        assertTriedOnceAndCancelled(new CancellationException("on purpose"));
    }

    private void assertTriedOnceAndCancelled(Exception fault) {
        AtomicInteger attempts = new AtomicInteger();
        Callable<String> task = () -> {
            attempts.incrementAndGet();
            throw fault;
        };
        GroupResult<String> result =
                resultOf(submit(task, RetryPolicy.attempts(3).retryIf(any -> true)));
        assertThat(result.status()).isEqualTo(TaskStatus.CANCELLED);
        assertThat(result.error()).isSameAs(fault);
        assertThat(attempts).hasValue(1);
        assertThat(counts().retried()).isZero();
    }

    @Test
    void taskThatLeavesItsInterruptFlagSetIsNotRetried() {
        Flaky flaky = Flaky.failingAlways();
        Callable<String> task = () -> {
            Thread.currentThread().interrupt();
            return flaky.call();
        };
        GroupResult<String> result = resultOf(submit(task, RetryPolicy.attempts(3)));
        assertThat(result.status()).isEqualTo(TaskStatus.FAILED);
        assertThat(result.error()).isSameAs(flaky.thrown.getFirst());
        assertThat(flaky.attempts()).isEqualTo(1);
    }

    @Test
    void taskCancelledWhileItRunsIsNotRetried() {
        BlockingTask blocker = BlockingTask.interruptible();
        Flaky flaky = Flaky.failingAlways();
        TaskHandle<String> handle = submit(
                () -> {
                    try {
                        return blocker.call();
                    } catch (InterruptedException e) {
                        return flaky.call(); // a task that throws another exception and clears the flag
                    }
                },
                RetryPolicy.attempts(3));
        TestKit.await(blocker.started);
        handle.cancel(true);
        assertThat(resultOf(handle).status()).isEqualTo(TaskStatus.CANCELLED);
        resultOf(executor.submit("g", "next", () -> "ran"));
        assertThat(flaky.attempts()).isEqualTo(1);
        assertThat(counts().retried()).isZero();
    }

    @Test
    void eachAttemptHasAFreshThread() {
        ThreadLocal<String> local = new ThreadLocal<>();
        List<String> seen = new CopyOnWriteArrayList<>();
        Flaky flaky = Flaky.failing(3);
        Callable<String> task = () -> {
            seen.add(local.get() + " " + Thread.currentThread().isInterrupted());
            local.set("left behind");
            return flaky.call();
        };
        assertThat(resultOf(submit(task, RetryPolicy.attempts(4))).value()).isEqualTo("succeeded");
        assertThat(seen).hasSize(4).containsOnly("null false");
        assertThat(flaky.threads).doesNotHaveDuplicates().allMatch(Thread::isVirtual);
    }

    @Test
    void resultStartsAtTheFirstAttempt() {
        AtomicLong endOfFirst = new AtomicLong();
        AtomicLong startOfLast = new AtomicLong();
        Flaky flaky = Flaky.failing(1);
        Callable<String> task = () -> {
            startOfLast.set(System.nanoTime());
            endOfFirst.compareAndSet(0, System.nanoTime());
            return flaky.call();
        };
        GroupResult<String> result = resultOf(submit(task, RetryPolicy.fixedDelay(2, Duration.ofNanos(100_000))));
        assertThat(result.startTimeNanos() - endOfFirst.get()).isNotPositive();
        assertThat(result.endTimeNanos() - startOfLast.get()).isNotNegative();
    }

    @Test
    void taskIsCountedOnceAndItsRetriesAsRetried() {
        resultOf(submit(Flaky.failing(2), RetryPolicy.attempts(5)));
        resultOf(submit(Flaky.failingAlways(), RetryPolicy.attempts(3)));
        assertThat(counts()).isEqualTo(new TaskCounts(2, 1, 1, 0, 0, 4, Map.of()));
        assertThat(executor.stats().counts()).isEqualTo(counts());
    }

    @Test
    void eachAttemptHasItsOwnTimesUnlessThePermitIsKept() {
        for (boolean keeping : new boolean[] {false, true}) {
            try (GroupExecutor recording = executor(b -> b.recordTimes(true))) {
                RetryPolicy policy = RetryPolicy.attempts(3);
                resultOf(
                        recording.submit("g", "t", Flaky.failing(2), retry(keeping ? policy.keepingPermit() : policy)));
                GroupStats stats = recording.groupStats("g").orElseThrow();
                assertThat(stats.runningTime().count()).isEqualTo(keeping ? 1 : 3);
                assertThat(stats.waitingTime().count()).isEqualTo(keeping ? 1 : 3);
            }
        }
    }

    /** Records its calls and their threads. */
    private static final class EventRecorder implements TaskLifecycleListener {
        final List<String> events = new CopyOnWriteArrayList<>();
        final List<Throwable> faults = new CopyOnWriteArrayList<>();
        final List<Thread> threads = new CopyOnWriteArrayList<>();

        @Override
        public void onStarted(TaskIdentity task) {
            events.add("started");
        }

        @Override
        public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
            events.add("retry " + failedAttempts + " in " + delay.toNanos());
            faults.add(fault);
            threads.add(Thread.currentThread());
            Thread.currentThread().interrupt(); // must not be mistaken for an interruption of the task
            throw new IllegalStateException("bad listener");
        }

        @Override
        public void onCompleted(TaskIdentity task, GroupResult<?> result) {
            events.add("completed " + result.status());
        }
    }

    @Test
    void listenerIsNotifiedOfEachRetryButOfOneStartAndOneCompletion() {
        EventRecorder recorder = new EventRecorder();
        try (Log log = new Log();
                GroupExecutor observed = executor(b -> b.taskLifecycleListener(recorder))) {
            Flaky flaky = Flaky.failing(2);
            RetryPolicy policy = RetryPolicy.exponentialBackoff(5, Duration.ofNanos(100), 3, Duration.ofSeconds(1));
            assertThat(resultOf(observed.submit("g", "t", flaky, retry(policy))).value())
                    .isEqualTo("succeeded");
            assertThat(recorder.events)
                    .containsExactly("started", "retry 1 in 100", "retry 2 in 300", "completed SUCCESS");
            assertThat(recorder.faults).containsExactlyElementsOf(flaky.thrown);
            assertThat(recorder.threads).as("called on the task's thread").isEqualTo(flaky.threads.subList(0, 2));
            assertThat(log.lines("bad listener")).singleElement().asString().contains("onRetry");
            assertThat(observed.toString()).contains("2 faults in callbacks");
        }
    }

    @Test
    void manyFlakyTasksUnderALimitHaveTheRightOutcomes() {
        try (GroupExecutor busy = executor(
                b -> b.defaultMaxConcurrencyPerGroup(3).globalMaxInFlight(4).idleGroupTtl(Duration.ZERO))) {
            Peak peak = new Peak();
            List<TaskHandle<String>> handles = new ArrayList<>();
            for (int i = 0; i < 600; i++) {
                Flaky flaky = Flaky.failing(i % 4);
                RetryPolicy policy = RetryPolicy.fixedDelay(3, Duration.ofNanos(i % 5 * 20_000L));
                handles.add(busy.submit(
                        "g" + i % 2,
                        "t" + i,
                        () -> peak.during(flaky),
                        retry(i % 3 == 0 ? policy.keepingPermit() : policy)));
            }
            for (int i = 0; i < 600; i++) {
                assertThat(resultOf(handles.get(i)).status())
                        .as("task %s", i)
                        .isEqualTo(i % 4 == 3 ? TaskStatus.FAILED : TaskStatus.SUCCESS);
            }
            assertThat(peak.most()).isLessThanOrEqualTo(4);
            TestKit.eventually(() -> assertThat(busy.activeGroupKeys()).isEmpty());
            assertThat(busy.stats().counts().retried()).isEqualTo(150 + 2 * 150 + 2 * 150);
        }
    }
}
