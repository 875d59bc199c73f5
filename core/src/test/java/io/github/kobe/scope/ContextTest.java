package io.github.kobe.scope;

import static io.github.kobe.scope.ScopeKit.assertReachesState;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.ContextCarrier;
import io.github.kobe.Flaky;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What does a task find of its submitter's context, on every scheduler, and what is left of it afterwards? */
@Timeout(60)
class ContextTest {

    @AfterEach
    void clear() {
        Context.clear();
    }

    private static ThreadScope open(Scheduler scheduler) {
        return ThreadScope.open().withScheduler(scheduler);
    }

    // ---- the context itself --------------------------------------------------------------------------------------

    @Test
    void valueStaysUntilItIsRemovedOrCleared() {
        Context.put("a", 1);
        Context.put("b", "two");
        assertThat(Context.<Integer>get("a")).isEqualTo(1);
        assertThat(Context.snapshot()).isEqualTo(Map.of("a", 1, "b", "two"));
        Context.remove("a");
        assertThat(Context.<Integer>get("a")).isNull();
        Context.put("b", null);
        assertThat(Context.snapshot()).isEmpty();
        Context.put("c", 3);
        Context.clear();
        assertThat(Context.snapshot()).isEmpty();
        Context.remove("never there");
    }

    @Test
    void snapshotIsUnmodifiableAndDoesNotChange() {
        Context.put("a", 1);
        Map<String, Object> snapshot = Context.snapshot();
        Context.put("a", 2);
        assertThat(snapshot).isEqualTo(Map.of("a", 1));
        assertThatThrownBy(() -> snapshot.put("b", 1)).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void eachThreadHasItsOwnContext() throws Exception {
        Context.put("a", 1);
        CompletableFuture<Map<String, Object>> other = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> other.complete(Context.snapshot())).join();
        assertThat(other.join()).isEmpty();
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void taskSeesTheContextOfItsSubmitterAtSubmission(Scheduler scheduler) {
        BlockingTask blocker = BlockingTask.interruptible();
        try (ThreadScope scope = open(scheduler)) {
            Context.put("request", "r1");
            Task<Map<String, Object>> task = scope.submit(() -> {
                blocker.call();
                return Context.snapshot();
            });
            Context.put("request", "r2");
            Context.put("more", "later");
            blocker.release();
            assertThat(task.await()).isEqualTo(Map.of("request", "r1"));
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void changesByATaskAffectOnlyThatTask(Scheduler scheduler) {
        try (ThreadScope scope = open(scheduler)) {
            Context.put("request", "r1");
            scope.submit(() -> {
                        Context.put("request", "changed");
                        return Context.snapshot();
                    })
                    .await();
            assertThat(Context.<String>get("request")).isEqualTo("r1");
            assertThat(scope.submit(() -> Context.<String>get("request")).await())
                    .isEqualTo("r1");
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulersWithOneThread")
    void noContextIsLeftOnAReusedThread(Scheduler scheduler) {
        try (ThreadScope scope = open(scheduler)) {
            Context.put("request", "r1");
            scope.submit(Context::snapshot).await();
            Context.clear();
            assertThat(scope.submit(Context::snapshot).await()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulersWithOneThread")
    void taskWithoutAContextLeavesNothingOnItsThread(Scheduler scheduler) {
        try (ThreadScope scope = open(scheduler)) {
            scope.submit(() -> {
                        Context.put("leak", "it is");
                        return "ran";
                    })
                    .await();
            assertThat(scope.submit(Context::snapshot).await()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulersWithOneThread")
    void previousContextIsRestoredEvenIfTheTaskThrows(Scheduler scheduler) {
        try (ThreadScope scope = open(scheduler)) {
            Context.put("request", "r1");
            Task<String> task = scope.submit(() -> {
                Context.put("leak", "it is");
                throw new IllegalStateException("x");
            });
            assertReachesState(task, Task.State.FAILED);
            Context.clear();
            assertThat(scope.submit(Context::snapshot).await()).isEmpty();
        }
    }

    @Test
    void taskDoesNotSeeTheContextOfTheThreadItRunsOn() throws Exception {
        try (ThreadScope scope =
                open(Scheduler.fixed(1)).withConcurrencyLimit(258).withQueueing(true)) {
            BlockingTask blocker = ScopeKit.blocker(scope);
            for (int i = 0; i < 256; i++) {
                scope.submit(() -> "queued");
            }
            BlockingTask running = BlockingTask.interruptible();
            List<Map<String, Object>> seen = new CopyOnWriteArrayList<>();
            // the second task gets the permit that this task releases, and runs on its thread
            TestKit.Caller<Task<String>> caller = TestKit.Caller.of(() -> {
                Context.put("mine", "the caller's");
                return scope.submit(running);
            });
            TestKit.await(running.started);
            Task<Boolean> second = scope.submit(() -> seen.add(Context.snapshot()));
            running.release();
            assertThat(second.await()).isTrue();
            assertThat(seen).containsExactly(Map.of());
            assertThat(caller.result().await()).isEqualTo("released");
            blocker.release();
        }
    }

    @Test
    void everyAttemptSeesTheContext() {
        List<Map<String, Object>> seen = new CopyOnWriteArrayList<>();
        Flaky flaky = Flaky.failing(2);
        try (ThreadScope scope = ThreadScope.open()) {
            Context.put("request", "r1");
            scope.submit(
                            () -> {
                                seen.add(Context.snapshot());
                                return flaky.call();
                            },
                            RetryPolicy.attempts(3))
                    .await();
        }
        assertThat(seen).hasSize(3).containsOnly(Map.of("request", "r1"));
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void everyRunOfAScheduleSeesTheContextOfItsSubmitter(Scheduler scheduler) {
        List<Map<String, Object>> seen = new CopyOnWriteArrayList<>();
        CountDownLatch runs = new CountDownLatch(3);
        try (ThreadScope scope = open(scheduler)) {
            Context.put("request", "r1");
            scope.scheduleWithFixedDelay(Duration.ZERO, Duration.ofNanos(1), () -> {
                seen.add(Context.snapshot());
                Context.put("request", "changed");
                runs.countDown();
            });
            Context.clear();
            TestKit.await(runs);
        }
        assertThat(seen).containsOnly(Map.of("request", "r1"));
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void joinersPropagateTheContext(Scheduler scheduler) {
        try (ThreadScope scope = open(scheduler)) {
            Context.put("request", "r1");
            assertThat(scope.joiner().<String>firstSuccess(() -> Context.get("request")))
                    .isEqualTo("r1");
        }
    }

    @Test
    void tasksSubmittedByTasksInheritTheContext() {
        try (ThreadScope scope = ThreadScope.open()) {
            Context.put("request", "r1");
            Task<String> outer = scope.submit(
                    () -> scope.submit(() -> Context.<String>get("request")).await());
            assertThat(outer.await()).isEqualTo("r1");
        }
    }

    // ---- carriers ------------------------------------------------------------------------------------------------

    /** A thread-local value of another library, and the carrier that propagates it. */
    private static final class Baggage implements ContextCarrier {

        final ThreadLocal<String> current = new ThreadLocal<>();
        final List<String> calls = new CopyOnWriteArrayList<>();
        private final String name;

        Baggage(String name) {
            this.name = name;
        }

        @Override
        public Captured capture() {
            String captured = current.get();
            calls.add("capture " + name);
            return () -> {
                String before = current.get();
                current.set(captured);
                calls.add("install " + name);
                return () -> {
                    current.set(before);
                    calls.add("restore " + name);
                };
            };
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void carrierCapturesAtSubmitInstallsForTheTaskAndRestoresAfter(Scheduler scheduler) {
        Baggage baggage = new Baggage("x");
        try (ThreadScope scope = open(scheduler).withContextCarrier(baggage)) {
            baggage.current.set("mine");
            Context.put("request", "r1");
            Task<String> task = scope.submit(() -> baggage.current.get() + Context.get("request"));
            baggage.current.set("later");
            assertThat(task.await()).isEqualTo("miner1");
        }
        assertThat(baggage.calls).containsExactly("capture x", "install x", "restore x");
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void carrierCapturesOnceForAScheduleAndInstallsForEachRun(Scheduler scheduler) {
        Baggage baggage = new Baggage("x");
        List<String> seen = new CopyOnWriteArrayList<>();
        CountDownLatch runs = new CountDownLatch(3);
        try (ThreadScope scope = open(scheduler).withContextCarrier(baggage)) {
            baggage.current.set("mine");
            scope.scheduleAtFixedRate(Duration.ZERO, Duration.ofMillis(1), () -> {
                seen.add(baggage.current.get());
                runs.countDown();
            });
            TestKit.await(runs);
        }
        assertThat(seen).containsOnly("mine");
        assertThat(baggage.calls).containsOnlyOnce("capture x");
    }

    @Test
    void twoCarriersAreUndoneInReverse() {
        Baggage one = new Baggage("one");
        Baggage other = new Baggage("other");
        List<String> calls = one.calls;
        ContextCarrier both = one.andThen(() -> {
            ContextCarrier.Captured captured = other.capture();
            return () -> {
                calls.add("install other");
                ContextCarrier.Installed installed = captured.install();
                return () -> {
                    calls.add("restore other");
                    installed.restore();
                };
            };
        });
        try (ThreadScope scope = ThreadScope.open().withContextCarrier(both)) {
            scope.submit(() -> "ran").await();
        }
        assertThat(calls)
                .containsExactly("capture one", "install one", "install other", "restore other", "restore one");
    }

    @Test
    void allCarriersOfAScopeAreUsed() {
        Baggage one = new Baggage("one");
        Baggage other = new Baggage("other");
        try (ThreadScope scope = ThreadScope.open()
                .withContextCarrier(one)
                .withContextCarrier(() -> null)
                .withContextCarrier(other)) {
            one.current.set("1");
            other.current.set("2");
            assertThat(scope.submit(() -> one.current.get() + other.current.get())
                            .await())
                    .isEqualTo("12");
        }
    }

    @Test
    void throwingCarrierIsReportedAndTheTaskRuns() {
        for (ContextCarrier bad : List.<ContextCarrier>of(
                () -> {
                    throw new IllegalStateException("bad carrier");
                },
                () -> () -> {
                    throw new IllegalStateException("bad carrier");
                },
                () -> () -> () -> {
                    throw new IllegalStateException("bad carrier");
                })) {
            try (Log log = new Log();
                    ThreadScope scope = ThreadScope.open().withContextCarrier(bad)) {
                assertThat(scope.submit(() -> "ran").await()).isEqualTo("ran");
                assertThat(log.lines("bad carrier")).hasSize(1);
            }
        }
    }

    @Test
    void otherCarriersAreUndoneIfOneCannotBeInstalled() {
        Baggage good = new Baggage("good");
        try (Log log = new Log();
                ThreadScope scope = open(Scheduler.fixed(1))
                        .withContextCarrier(good)
                        .withContextCarrier(() -> () -> {
                            throw new UnsupportedOperationException(
                                    "bad carrier"); // a type of its own: each exception type is logged once a minute
                        })) {
            good.current.set("mine");
            scope.submit(() -> "ran").await();
            assertThat(log.lines("bad carrier")).hasSize(1);
        }
        assertThat(good.calls).containsExactly("capture good", "install good", "restore good");
    }

    @Test
    void throwingCarrierDoesNotAffectOtherCarriers() {
        for (ContextCarrier bad : List.<ContextCarrier>of(
                () -> {
                    throw new IllegalCallerException("bad carrier");
                },
                () -> () -> {
                    throw new IllegalCallerException("bad carrier");
                })) {
            Baggage before = new Baggage("before");
            Baggage after = new Baggage("after");
            before.current.set("1");
            after.current.set("2");
            try (ThreadScope scope = ThreadScope.open()
                    .withContextCarrier(before)
                    .withContextCarrier(bad)
                    .withContextCarrier(after)) {
                Context.put("user", "3");
                assertThat(scope.submit(() -> before.current.get() + after.current.get() + Context.get("user"))
                                .await())
                        .isEqualTo("123");
            } finally {
                Context.clear();
            }
        }
    }
}
