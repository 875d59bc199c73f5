package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.RetryPolicy;
import io.github.kobe.TestKit;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.ObservedTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rare interleavings, each forced by the test. */
@Timeout(60)
class ScopeRacesTest {

    /** The submitter has seen an open scope, and is about to create the state that close reads. */
    @Test
    @SuppressWarnings("GuardedBy")
    void firstSubmissionThatRacesWithCloseThrows() throws Exception {
        ThreadScope scope = ThreadScope.open();
        AtomicBoolean ran = new AtomicBoolean();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread submitter;
        synchronized (scope.token()) {
            submitter = Thread.ofPlatform().start(() -> {
                try {
                    scope.submit(() -> {
                        ran.set(true);
                        return 1;
                    });
                } catch (RuntimeException e) {
                    thrown.set(e);
                }
            });
            TestKit.eventually(() -> assertThat(submitter.getState()).isEqualTo(Thread.State.BLOCKED));
            scope.close();
        }
        submitter.join();
        TestKit.letOthersRun();
        assertThat(ran).isFalse();
        assertThat(thrown.get()).isInstanceOf(IllegalStateException.class);
        assertThat(scope.metrics().completed()).isZero();
    }

    @Test
    void taskRejectedByAClosedScopeLeavesNoTimerEntry() throws Exception {
        FakeTimer timer = new FakeTimer();
        Scheduler scheduler = new Scheduler("test", true, null, TaskRunner.freshVirtualThreads(), timer);
        AtomicBoolean armed = new AtomicBoolean();
        ThreadScope scope = ThreadScope.open();
        scope.withScheduler(scheduler).withContextCarrier(() -> {
            if (armed.getAndSet(false)) {
                scope.close();
            }
            return null;
        });
        assertThat(scope.submit(() -> 1).await()).isEqualTo(1);
        armed.set(true);
        assertThatThrownBy(() -> scope.submit(() -> 2, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalStateException.class);
        assertThat(timer.pending()).isZero();
        assertThat(scope.metrics().completed()).isEqualTo(1);
    }

    /** A canceller has won but not interrupted yet. Meanwhile the thread runs the next task. */
    @Test
    void lateInterruptReachesNoTask() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch won = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch nextStarted = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        try (ThreadScope scope = ThreadScope.open()
                .withScheduler(Scheduler.from(new ForeignExecutorRacesTest.DirectExecutor()))
                .withConcurrencyLimit(1)
                .withQueueing(true)) {
            Thread runner = Thread.ofPlatform()
                    .start(() -> scope.submit("victim", () -> {
                        started.countDown();
                        TestKit.await(go);
                        return 1;
                    }));
            TestKit.await(started);
            ScopeState state = (ScopeState) scope.token();
            ScopeTasks tasks = state.tasksOrNull();
            ScopeTaskImpl<?> victim = state.unfinishedTasks().get(0);
            Task<Boolean> next = scope.submit(() -> {
                nextStarted.countDown();
                TestKit.await(interrupted);
                return Thread.interrupted();
            });
            Thread canceller = Thread.ofPlatform().unstarted(victim::cancel);
            tasks.addListener(task -> {
                if (Thread.currentThread() == canceller) {
                    won.countDown();
                    TestKit.await(nextStarted);
                }
            });
            canceller.start();
            TestKit.await(won);
            go.countDown();
            canceller.join();
            interrupted.countDown();
            assertThat(next.await()).isFalse();
            runner.join();
        }
    }

    @Test
    void hookIsNotifiedOfCompletionAfterOnStartReturned() throws Exception {
        List<String> told = new CopyOnWriteArrayList<>();
        AtomicReference<ScopeTaskImpl<?>> task = new AtomicReference<>();
        CountDownLatch inStart = new CountDownLatch(1);
        CountDownLatch submitted = new CountDownLatch(1);
        ThreadHook hook = new ThreadHook() {
            @Override
            public void onStart(TaskInfo info) {
                TestKit.await(submitted);
                told.add("start");
                inStart.countDown();
                while (!task.get().isOutcomeDecided()) {
                    Thread.onSpinWait();
                }
                for (int i = 0; i < 2_000; i++) {
                    TestKit.yieldToOthers(); // time enough for a completion that does not wait
                }
                told.add("start returned");
            }

            @Override
            public void onCancel(TaskInfo info, Duration duration) {
                told.add("cancel");
            }
        };
        try (ThreadScope scope = ThreadScope.open().withHook(hook)) {
            task.set((ScopeTaskImpl<?>) scope.submit(() -> 1));
            submitted.countDown();
            TestKit.await(inStart);
            assertThat(task.get().cancel()).isTrue();
            assertThat(task.get().isCancelled()).isTrue();
        }
        assertThat(told).containsExactly("start", "start returned", "cancel");
    }

    /** The pool thread is still in the hook. The task runs on another thread, and that thread is interrupted. */
    @Test
    void taskThatRunsDespiteAStuckHookCanBeCancelled() throws Exception {
        CountDownLatch hookMayReturn = new CountDownLatch(1);
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        ThreadHook stuck = new ThreadHook() {
            @Override
            public void onStart(TaskInfo info) {
                TestKit.await(hookMayReturn);
            }
        };
        try (TestKit.Log log = new TestKit.Log();
                ExecutorService pool = Executors.newSingleThreadExecutor();
                ThreadScope scope =
                        ThreadScope.open().withScheduler(Scheduler.from(pool)).withHook(stuck)) {
            Task<Integer> task = scope.submit(() -> {
                working.countDown();
                try {
                    TestKit.await(new CountDownLatch(1));
                } catch (AssertionError e) {
                    interrupted.countDown();
                }
                return 1;
            });
            TestKit.await(working);
            hookMayReturn.countDown();
            assertThat(task.cancel()).isTrue();
            TestKit.await(interrupted);
            assertThat(log.lines("onStart")).hasSize(1);
        }
    }

    /** Some succeed, some are cancelled as they start, some never start; whichever thread completes them, however late. */
    @Test
    void afterCloseEveryOutcomeIsSetAndStartedTasksAreCounted() throws Exception {
        for (int round = 0; round < 3_000; round++) {
            AtomicInteger ran = new AtomicInteger();
            ThreadScope scope = ThreadScope.open();
            List<Task<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                tasks.add(scope.submit(ran::incrementAndGet));
            }
            Thread canceller = Thread.startVirtualThread(() -> tasks.forEach(Task::cancel));
            scope.close();
            assertThat(tasks).allMatch(Task::isDone);
            assertThat(scope.metrics().started()).isEqualTo(ran.get());
            assertThat(scope.metrics().completed()).isEqualTo(4);
            canceller.join();
        }
    }

    /** The starting task reads the clock at several steps. One of them is between the last check of its outcome and its code. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void taskCancelledAsItStartsIsCountedAsStartedIfItsCodeRan(int step) {
        AtomicInteger ran = new AtomicInteger();
        List<Runnable> sent = new ArrayList<>();
        FakeTimer time = new FakeTimer();
        time.advance(1); // 0 means "not started"
        ObservedTimer timer = new ObservedTimer(time);
        try (ThreadScope scope =
                ThreadScope.open().withScheduler(new Scheduler("hand", false, null, sent::add, timer))) {
            Task<Integer> task = scope.submit(ran::incrementAndGet);
            timer.atRead(step, task::cancel);
            sent.forEach(Runnable::run);
            task.cancel();
            assertThat(scope.metrics().started()).isEqualTo(ran.get());
            assertThat(scope.metrics().completed()).isEqualTo(1);
        }
    }

    /** As above for a further attempt. If it is cancelled, the first attempt still counts as started. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void taskCancelledAtAnyClockReadIsCountedAsStartedOnceIfItsCodeRan(int step) {
        AtomicInteger ran = new AtomicInteger();
        List<Runnable> sent = new CopyOnWriteArrayList<>();
        FakeTimer time = new FakeTimer();
        time.advance(1); // 0 means "not started"
        ObservedTimer timer = new ObservedTimer(time);
        try (ThreadScope scope =
                ThreadScope.open().withScheduler(new Scheduler("hand", false, null, sent::add, timer))) {
            Task<Integer> task = scope.submit(
                    () -> {
                        ran.incrementAndGet();
                        throw new IllegalStateException("again");
                    },
                    RetryPolicy.attempts(3));
            timer.atRead(step, task::cancel);
            for (int i = 0; i < 3; i++) {
                List<Runnable> now = List.copyOf(sent);
                sent.clear();
                now.forEach(Runnable::run);
                time.advance(1);
            }
            task.cancel();
            assertThat(scope.metrics().started()).isEqualTo(Math.min(1, ran.get()));
            assertThat(scope.metrics().completed()).isEqualTo(1);
        }
    }
}
