package io.github.kobe.scope;

import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.scope.ScopeKit.LONG;
import static io.github.kobe.scope.ScopeKit.blocker;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.RetryPolicy;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.scope.ScopeKit.RecordingHook;
import io.github.kobe.scope.ScopeKit.Threads;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From when to when does the duration of a task count, for hooks and in metrics? The test advances the clock. */
@Timeout(60)
class TaskTimesTest {

    private final FakeTimer timer = new FakeTimer();
    private final RecordingHook heard = new RecordingHook();

    TaskTimesTest() {
        pass(1); // the kernel reads a start at 0 as "not started"
    }

    private void pass(long seconds) {
        timer.advance(seconds(seconds).toNanos());
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private ThreadScope open(Threads threads) {
        return ThreadScope.open()
                .withScheduler(threads.on(timer))
                .withDeadline(LONG)
                .withFailurePolicy(FailurePolicy.SUPERVISOR);
    }

    private static void assertTook(ThreadScope scope, long total, long longest) {
        assertThat(scope.metrics().totalDuration()).isEqualTo(seconds(total));
        assertThat(scope.metrics().maxDuration()).isEqualTo(seconds(longest));
    }

    // ---- from its start to its completion ------------------------------------------------------------------------

    /** One task of each outcome: of 2, 3 and 4 seconds. */
    private void runOneOfEach(ThreadScope scope) {
        scope.await(scope.submit("good", () -> {
            pass(2);
            return 1;
        }));
        scope.await(scope.submit("bad", () -> {
            pass(3);
            throw new IOException("on purpose");
        }));
        BlockingTask blocker = BlockingTask.interruptible();
        Task<String> stopped = scope.submit("stopped", blocker);
        TestKit.await(blocker.started);
        pass(4);
        stopped.cancel();
    }

    @ParameterizedTest
    @EnumSource(Threads.class)
    void hooksAndMetricsMeasureFromStartToCompletion(Threads threads) {
        try (ThreadScope scope = open(threads).withHook(heard)) {
            runOneOfEach(scope);
            assertTook(scope, 9, 4);
        }
        assertThat(heard.durations).containsExactly(seconds(2), seconds(3), seconds(4));
    }

    @ParameterizedTest
    @EnumSource(Threads.class)
    void metricsMeasureFromStartToCompletionWithoutAHook(Threads threads) {
        try (ThreadScope scope = open(threads)) {
            runOneOfEach(scope);
            assertTook(scope, 9, 4);
        }
    }

    @ParameterizedTest
    @EnumSource(Threads.class)
    void waitForAPermitDoesNotCount(Threads threads) {
        try (ThreadScope scope =
                open(threads).withHook(heard).withConcurrencyLimit(1).withQueueing(true)) {
            BlockingTask blocker = blocker(scope);
            Task<Integer> task = scope.submit("waits", () -> {
                pass(2);
                return 1;
            });
            pass(7);
            blocker.release();
            task.await();
        }
        assertThat(heard.durations).containsExactly(seconds(7), seconds(2));
    }

    @Test
    void waitForAThreadDoesNotCount() {
        try (ThreadScope scope = open(Threads.FOREIGN).withHook(heard)) {
            BlockingTask blocker = blocker(scope);
            Task<Integer> task = scope.submit("waits", () -> {
                pass(2);
                return 1;
            });
            pass(7);
            blocker.release();
            task.await();
        }
        assertThat(heard.durations).containsExactly(seconds(7), seconds(2));
    }

    // ---- with several attempts -----------------------------------------------------------------------------------

    /** Two attempts of 2 and 3 seconds, with 10 between them. */
    private void runTwice(ThreadScope scope, boolean succeeds) {
        AtomicInteger attempts = new AtomicInteger();
        Callable<Integer> work = () -> {
            boolean first = attempts.incrementAndGet() == 1;
            pass(first ? 2 : 3);
            if (first || !succeeds) {
                throw new IOException("on purpose");
            }
            return 1;
        };
        Task<Integer> task = scope.submit("again", work, RetryPolicy.fixedDelay(2, seconds(10)));
        eventually(() -> {
            assertThat(attempts).hasValue(1); // so the hook was notified of the start
            assertThat(timer.pendingBut(PeriodicSweep.class))
                    .as("the deadline, and the retry")
                    .isEqualTo(2);
        });
        pass(10);
        scope.await(task);
        assertThat(attempts).hasValue(2);
    }

    @ParameterizedTest
    @EnumSource(Threads.class)
    void durationOfARetriedTaskIsFromItsFirstStartToItsCompletion(Threads threads) {
        try (ThreadScope scope = open(threads).withHook(heard)) {
            runTwice(scope, true);
            assertTook(scope, 15, 15);
            assertThat(heard.of("again")).containsExactly("start", "success");
        }
        assertThat(heard.durations).containsExactly(seconds(15));
    }

    @ParameterizedTest
    @EnumSource(Threads.class)
    void durationOfATaskThatFailsAfterRetriesIsFromItsFirstStart(Threads threads) {
        try (ThreadScope scope = open(threads).withHook(heard)) {
            runTwice(scope, false);
            assertTook(scope, 15, 15);
            assertThat(heard.of("again")).containsExactly("start", "failure");
        }
        assertThat(heard.durations).containsExactly(seconds(15));
    }

    @ParameterizedTest
    @EnumSource(Threads.class)
    void metricsOfARetriedTaskAreTheSameWithoutAHook(Threads threads) {
        try (ThreadScope scope = open(threads)) {
            runTwice(scope, true);
            assertTook(scope, 15, 15);
        }
    }

    // ---- what a hook is told besides -----------------------------------------------------------------------------

    /** The time is of the wall clock, which advances while the task is queued. */
    @Test
    void createdAtIsTheTimeOfSubmission() {
        try (ThreadScope scope =
                open(Threads.FRESH).withHook(heard).withConcurrencyLimit(1).withQueueing(true)) {
            BlockingTask blocker = blocker(scope);
            Instant before = Instant.now();
            Task<String> task = scope.submit("waits", () -> "ran");
            Instant after = Instant.now();
            eventually(() -> assertThat(Instant.now()).isAfter(after));
            blocker.release();
            task.await();
            assertThat(heard.infos.stream().filter(info -> info.name().equals("waits")))
                    .hasSize(2)
                    .allSatisfy(info -> assertThat(info.createdAt()).isBetween(before, after));
        }
    }

    @Test
    void slowTaskHookReportsTheDurationOfTheTask() {
        List<SlowTaskEvent> slow = new CopyOnWriteArrayList<>();
        try (ThreadScope scope = open(Threads.FRESH).withHook(SlowTaskHook.create(seconds(3), slow::add))) {
            runOneOfEach(scope);
        }
        assertThat(slow).extracting(SlowTaskEvent::state).containsExactly(Task.State.FAILED, Task.State.CANCELLED);
        assertThat(slow).extracting(SlowTaskEvent::duration).containsExactly(seconds(3), seconds(4));
        assertThat(slow).extracting(SlowTaskEvent::threshold).containsOnly(seconds(3));
    }
}
