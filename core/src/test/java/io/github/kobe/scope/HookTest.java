package io.github.kobe.scope;

import static io.github.kobe.scope.ScopeKit.assertReachesState;
import static io.github.kobe.scope.ScopeKit.blocker;
import static io.github.kobe.scope.ScopeKit.failing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import io.github.kobe.scope.ScopeKit.RecordingHook;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is a hook notified of, how often and when, and what if it misbehaves? */
@Timeout(60)
class HookTest {

    private static final ThreadHook BAD = new ThreadHook() {
        @Override
        public void onStart(TaskInfo info) {
            throw new IllegalStateException("bad onStart");
        }

        @Override
        public void onSuccess(TaskInfo info, Duration duration) {
            throw new IllegalStateException("bad onSuccess");
        }

        @Override
        public void onFailure(TaskInfo info, Throwable error, Duration duration) {
            throw new AssertionError("bad onFailure");
        }

        @Override
        public void onCancel(TaskInfo info, Duration duration) {
            throw new IllegalStateException("bad onCancel");
        }
    };

    private final RecordingHook heard = new RecordingHook();

    private static void runOneOfEach(ThreadScope scope) {
        assertThat(scope.submit("good", () -> "ran").await()).isEqualTo("ran");
        assertReachesState(scope.submit("bad", failing(new IOException("x"))), Task.State.FAILED);
        BlockingTask blocker = BlockingTask.interruptible();
        Task<String> task = scope.submit("stopped", blocker);
        TestKit.await(blocker.started);
        task.cancel();
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void isNotifiedOfStartAndCompletionOnce(Scheduler scheduler) {
        try (ThreadScope scope = ThreadScope.open().withScheduler(scheduler).withHook(heard)) {
            runOneOfEach(scope);
        }
        assertThat(heard.of("good")).containsExactly("start", "success");
        assertThat(heard.of("bad")).containsExactly("start", "failure");
        assertThat(heard.of("stopped")).containsExactly("start", "cancel");
        assertThat(heard.errors).singleElement().isInstanceOf(IOException.class);
    }

    @Test
    void taskCancelledWhileQueuedIsReportedAsCancelledWithZeroDuration() {
        try (ThreadScope scope =
                ThreadScope.open().withHook(heard).withConcurrencyLimit(1).withQueueing(true)) {
            blocker(scope);
            scope.submit("waits", () -> "never").cancel();
            assertThat(heard.of("waits")).containsExactly("cancel");
            assertThat(heard.durations).containsExactly(Duration.ZERO);
        }
    }

    @Test
    void timeoutIsAFailure() {
        try (ThreadScope scope = ThreadScope.open().withHook(heard)) {
            BlockingTask blocker = BlockingTask.interruptible();
            assertReachesState(scope.submit("slow", blocker, Duration.ofMillis(20)), Task.State.FAILED);
        }
        assertThat(heard.of("slow")).last().isEqualTo("failure");
        assertThat(heard.errors).hasSize(1);
    }

    @Test
    void infoIdentifiesTheTask() {
        Instant before = Instant.now();
        try (ThreadScope scope =
                ThreadScope.open().withScheduler(Scheduler.fixed(1)).withHook(heard)) {
            Task<String> task = scope.submit("load", () -> "ran");
            task.await();
            assertThat(heard.infos).hasSize(2).allSatisfy(info -> {
                assertThat(info.scopeId()).isEqualTo(scope.id());
                assertThat(info.taskId()).isEqualTo(task.id());
                assertThat(info.name()).isEqualTo("load");
                assertThat(info.createdAt()).isBetween(before, Instant.now());
                assertThat(info.schedulerName()).isEqualTo("fixed(1)");
            });
        }
    }

    @Test
    void isNotifiedBeforeWaiters() {
        for (int i = 0; i < 100; i++) {
            RecordingHook fresh = new RecordingHook();
            try (ThreadScope scope = ThreadScope.open().withHook(fresh)) {
                scope.await(scope.submit("t", () -> "ran"));
                assertThat(fresh.of("t")).containsExactly("start", "success");
            }
        }
    }

    @Test
    void onStartRunsOnTheThreadOfTheTask() {
        AtomicReference<Thread> started = new AtomicReference<>();
        ThreadHook hook = new ThreadHook() {
            @Override
            public void onStart(TaskInfo info) {
                started.set(Thread.currentThread());
            }
        };
        try (ThreadScope scope = ThreadScope.open().withHook(hook)) {
            assertThat(scope.submit(Thread::currentThread).await()).isSameAs(started.get());
        }
    }

    @Test
    void allNotificationsAreDoneWhenCloseReturns() {
        for (int i = 0; i < 100; i++) {
            RecordingHook fresh = new RecordingHook();
            ThreadScope scope =
                    ThreadScope.open().withHook(fresh).withConcurrencyLimit(3).withQueueing(true);
            for (int j = 0; j < 10; j++) {
                scope.submit("t" + j, BlockingTask.interruptible());
            }
            scope.close();
            for (int j = 0; j < 10; j++) {
                assertThat(fresh.of("t" + j)).isIn(List.of("cancel"), List.of("start", "cancel"));
            }
        }
    }

    @Test
    void closeThatRacesWithCancelReturns() throws Exception {
        for (int i = 0; i < 200; i++) {
            ThreadScope scope = ThreadScope.open().withHook(new ThreadHook() {});
            List<Task<String>> tasks = new ArrayList<>();
            for (int j = 0; j < 5; j++) {
                tasks.add(scope.submit(() -> "short"));
            }
            TestKit.Caller<Boolean> canceller = TestKit.Caller.of(() -> {
                tasks.forEach(Task::cancel);
                return true;
            });
            scope.close();
            assertThat(canceller.result()).isTrue();
            assertThat(scope.metrics().completed()).isEqualTo(5);
        }
    }

    // ---- several -------------------------------------------------------------------------------------------------

    private static RecordingHook noting(String hook, List<String> order) {
        return new RecordingHook() {
            @Override
            void hear(String what, TaskInfo info) {
                order.add(hook + " " + what + " " + info.name());
            }
        };
    }

    @Test
    void andThenNotifiesBothInOrderEvenIfTheFirstThrows() {
        List<String> order = new CopyOnWriteArrayList<>();
        RecordingHook first = noting("first", order);
        RecordingHook second = noting("second", order);
        try (Log log = new Log();
                ThreadScope scope = ThreadScope.open()
                        .withHook(first.andThen(BAD).andThen(second).andThen(heard))) {
            runOneOfEach(scope);
            scope.close();
            assertThat(log.lines("bad on")).isNotEmpty();
        }
        assertThat(order)
                .containsExactly(
                        "first start good",
                        "second start good",
                        "first success good",
                        "second success good",
                        "first start bad",
                        "second start bad",
                        "first failure bad",
                        "second failure bad",
                        "first start stopped",
                        "second start stopped",
                        "first cancel stopped",
                        "second cancel stopped");
        assertThat(heard.all())
                .containsExactly(
                        "start good", "success good", "start bad", "failure bad", "start stopped", "cancel stopped");
    }

    @Test
    void andThenThrowsTheFirstExceptionWithTheSecondSuppressed() {
        TaskInfo info = new TaskInfo("s", 1, "t", Instant.EPOCH, "x");
        ThreadHook pair = BAD.andThen(BAD);
        assertThatThrownBy(() -> pair.onStart(info))
                .hasMessage("bad onStart")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThatThrownBy(() -> pair.onFailure(info, new IOException(), Duration.ZERO))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void allHooksOfAScopeAreNotified() {
        RecordingHook other = new RecordingHook();
        try (ThreadScope scope = ThreadScope.open().withHook(heard).withHook(other)) {
            scope.submit("t", () -> "ran").await();
        }
        assertThat(heard.all()).containsExactly("start t", "success t").isEqualTo(other.all());
    }

    // ---- bad ones ------------------------------------------------------------------------------------------------

    @Test
    void exceptionFromAHookIsReportedAndChangesNothing() {
        class OfThisTest extends RuntimeException {} // each exception type is logged once a minute
        ThreadHook hook = new ThreadHook() {
            @Override
            public void onStart(TaskInfo info) {
                throw new OfThisTest();
            }
        };
        try (Log log = new Log();
                ThreadScope scope = ThreadScope.open().withHook(hook.andThen(BAD))) {
            runOneOfEach(scope);
            scope.close();
            assertThat(scope.metrics().succeeded()).isEqualTo(1);
            assertThat(scope.metrics().failed()).isEqualTo(1);
            assertThat(scope.metrics().cancelled()).isEqualTo(1);
            assertThat(log.lines("hook onStart threw")).hasSize(1);
        }
    }

    @Test
    void hookThatNeverReturnsDoesNotBlockItsTaskForever() {
        CountDownLatch never = new CountDownLatch(1);
        ThreadHook stuck = new ThreadHook() {
            @Override
            public void onSuccess(TaskInfo info, Duration duration) {
                TestKit.await(never);
            }
        };
        try (Log log = new Log();
                ThreadScope scope = ThreadScope.open().withHook(stuck)) {
            assertThat(scope.submit("t", () -> "ran").await()).isEqualTo("ran");
            assertThat(log.lines("onSuccess")).isNotEmpty();
            never.countDown();
        }
    }

    @Test
    void hookThatInterruptsItsThreadDoesNotInterruptTheTask() {
        ThreadHook hook = new ThreadHook() {
            @Override
            public void onStart(TaskInfo info) {
                Thread.currentThread().interrupt();
            }
        };
        try (ThreadScope scope = ThreadScope.open().withHook(hook)) {
            assertThat(scope.submit(() -> Thread.currentThread().isInterrupted())
                            .await())
                    .isFalse();
        }
    }

    // ---- slow tasks ----------------------------------------------------------------------------------------------

    @Test
    void slowTaskHookReportsSlowTasksOfEveryOutcome() {
        List<SlowTaskEvent> slow = new CopyOnWriteArrayList<>();
        try (ThreadScope scope = ThreadScope.open().withHook(SlowTaskHook.create(Duration.ZERO, slow::add))) {
            runOneOfEach(scope);
        }
        assertThat(slow.stream().map(e -> e.info().name() + " " + e.state()))
                .containsExactly("good SUCCESS", "bad FAILED", "stopped CANCELLED");
        assertThat(slow.stream().map(e -> e.error() == null)).containsExactly(true, false, true);
        assertThat(slow).allMatch(e -> e.threshold().isZero() && !e.duration().isNegative());
    }

    @Test
    void slowTaskHookIgnoresFastTasks() {
        List<SlowTaskEvent> slow = new CopyOnWriteArrayList<>();
        SlowTaskHook hook = SlowTaskHook.create(Duration.ofHours(1), slow::add);
        try (ThreadScope scope = ThreadScope.open().withHook(hook)) {
            runOneOfEach(scope);
        }
        assertThat(slow).isEmpty();
        TaskInfo info = new TaskInfo("s", 1, "t", Instant.EPOCH, "x");
        hook.onSuccess(info, Duration.ofHours(1).minusNanos(1));
        assertThat(slow).isEmpty();
        hook.onSuccess(info, Duration.ofHours(1));
        assertThat(slow).hasSize(1);
    }

    @Test
    void slowTaskHookRejectsANegativeThreshold() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlowTaskHook.create(Duration.ofMillis(-1), e -> {}))
                .withMessageContaining("threshold");
    }
}
