package io.github.kobe.isolation;

import static io.github.kobe.isolation.IsolationKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import io.github.kobe.PermitResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TestKit.Caller;
import io.github.kobe.TestKit.Events;
import io.github.kobe.isolation.IsolationKit.BlockingTask;
import io.github.kobe.isolation.IsolationKit.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Are permits of calling threads measured, queued and reported as tasks of their key? */
class IsolationPermitTest {

    private final Clock clock = new Clock();

    @Test
    void callRunsOnTheCallingThreadWithAPermitAndALane() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            Thread caller = Thread.currentThread();
            Lane lane = executor.call("key", () -> {
                assertThat(Thread.currentThread()).isSameAs(caller);
                assertThat(executor.stats().running()).isEqualTo(1);
                assertThat(executor.stats().lane(Lane.FAST).running()).isEqualTo(1);
                return IsolationExecutor.currentLane();
            });
            assertThat(lane).isEqualTo(Lane.FAST);
            assertThat(IsolationExecutor.currentLane()).isNull();
            assertThat(executor.stats().running()).isZero();
            assertThat(executor.stats().lane(Lane.FAST).running()).isZero();
            assertThat(executor.stats().counts().succeeded()).isEqualTo(1);
        }
    }

    @Test
    void callInACallRestoresTheLane() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            List<Lane> lanes = new ArrayList<>();
            executor.call("outer", () -> {
                executor.call("inner", () -> lanes.add(IsolationExecutor.currentLane()));
                return lanes.add(IsolationExecutor.currentLane());
            });
            assertThat(lanes).containsExactly(Lane.FAST, Lane.FAST);
            assertThat(IsolationExecutor.currentLane()).isNull();
        }
    }

    /** The inner call shares the permit of the outer one, so the ready queue is not asked for its start. */
    @Test
    void callInACallOfANewKeyIsMeasuredAndAnnouncedAsSlow() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).whiteList(Set.of("vip")))) {
            executor.call(
                    "outer",
                    () -> executor.call("inner", () -> {
                        clock.advance(Duration.ofSeconds(2));
                        assertThat(executor.stats().decisions())
                                .filteredOn(Decision.LaneChange.class::isInstance)
                                .extracting(decision -> ((Decision.LaneChange) decision).key())
                                .containsExactlyInAnyOrder("outer", "inner");
                        return 1;
                    }));
            assertThat(executor.stats("inner").orElseThrow().typical()).isEqualTo(Duration.ofSeconds(2));
            assertThat(executor.stats().running()).isZero();
        }
    }

    @Test
    void callInACallTakesNoPermitFromOtherKeys() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(2))) {
            BlockingTask known = BlockingTask.in(executor, "known");
            clock.advance(Duration.ofMillis(10));
            known.release();
            eventually(() -> assertThat(executor.stats().running()).isZero());
            BlockingTask other = new BlockingTask();
            executor.call(
                    "outer",
                    () -> executor.call("inner", () -> {
                        assertThat(executor.stats().running()).isEqualTo(1);
                        executor.submit("known", other);
                        IsolationKit.await(other.started);
                        return 1;
                    }));
            BlockingTask second = BlockingTask.in(executor, "known");
            assertThat(executor.stats().running()).as("no permit is lost").isEqualTo(2);
            other.release();
            second.release();
        }
    }

    @Test
    void whatTheTaskThrowsIsThrownAndCountedAsFailed() {
        IllegalStateException thrown = new IllegalStateException("thrown by the task");
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            assertThatThrownBy(() -> executor.call("key", () -> {
                        throw thrown;
                    }))
                    .isSameAs(thrown);
            assertThat(executor.stats().counts().failed()).isEqualTo(1);
            assertThat(executor.stats().running()).isZero();
        }
    }

    @Test
    void heldPermitIsMeasuredAndAnnouncedAsSlow() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            Permit permit = executor.acquire("slow");
            assertThat(permit.groupKey()).isEqualTo("slow");
            clock.advance(Duration.ofSeconds(2));
            assertThat(executor.stats().decisions())
                    .anyMatch(d -> d instanceof Decision.LaneChange change && change.to() == Lane.SLOW);
            permit.close();
            permit.close();
            assertThat(executor.stats("slow").orElseThrow())
                    .isEqualTo(new KeyStats("slow", Lane.SLOW, 0, 0, 1, Duration.ofSeconds(2)));
            assertThat(executor.stats().lane(Lane.FAST).running()).isZero();
            assertThat(executor.call("slow", IsolationExecutor::currentLane)).isEqualTo(Lane.SLOW);
        }
    }

    @Test
    void permitCountsForTheBudgetAndIsQueuedWithTasks() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(1))) {
            Permit permit = executor.acquire("a");
            TaskHandle<Integer> task = executor.submit("b", () -> 1);
            Caller<Lane> caller = Caller.of(() -> executor.call("b", IsolationExecutor::currentLane));
            eventually(() -> assertThat(executor.stats().queued()).isEqualTo(2));
            assertThat(task.isDone()).isFalse();
            clock.advance(Duration.ofMillis(301));
            permit.close();
            assertThat(task.await().value()).isEqualTo(1);
            assertThat(caller.result()).as("it was late").isEqualTo(Lane.FAST_BACKUP);
        }
    }

    @Test
    void futureOfAPermitIsQueuedWithTasksAndMeasured() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(1))) {
            Permit first = executor.acquireAsync("a").join();
            CompletableFuture<Permit> future = executor.acquireAsync("b");
            assertThat(future).isNotDone();
            assertThat(executor.stats().queued()).isEqualTo(1);
            first.close();
            Permit second = future.get(30, TimeUnit.SECONDS);
            assertThat(executor.stats().lane(Lane.FAST).running()).isEqualTo(1);
            clock.advance(Duration.ofSeconds(2));
            second.close();
            assertThat(executor.stats("b").orElseThrow().typical()).isEqualTo(Duration.ofSeconds(2));
            assertThat(executor.stats().lane(Lane.FAST).running()).isZero();
        }
    }

    @Test
    void cancelledFutureOfAPermitLeavesNothingBehind() throws Exception {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.maxConcurrency(1))) {
            Permit first = executor.acquire("a");
            assertThat(executor.acquireAsync("b").cancel(false)).isTrue();
            assertThat(executor.stats().queued()).isZero();
            first.close();
            assertThat(executor.stats().running()).isZero();
            assertThat(executor.stats().lane(Lane.FAST).running()).isZero();
        }
    }

    @Test
    void futureOfAPermitExpiresAsTasksDo() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).taskExpiry(Duration.ofSeconds(3)))) {
            Permit first = executor.acquire("a");
            CompletableFuture<Permit> future = executor.acquireAsync("b");
            clock.advance(Duration.ofSeconds(3));
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> future.get(30, TimeUnit.SECONDS))
                    .havingCause()
                    .isInstanceOfSatisfying(
                            RejectedTaskException.class,
                            e -> assertThat(e.reason()).isEqualTo(RejectionReason.EXPIRED));
            first.close();
        }
    }

    @Test
    void newKeyShareLimitsPermitsToo() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(10).newKeyShare(0.3))) {
            for (int i = 0; i < 3; i++) {
                executor.acquire("new").detach();
            }
            try (PermitResult none = executor.tryAcquire("new", Duration.ZERO)) {
                assertThat(none.isGranted()).isFalse();
            }
            try (PermitResult other = executor.tryAcquire("other", Duration.ZERO)) {
                assertThat(other.isGranted()).isTrue();
            }
        }
    }

    @Test
    void fullQueueRejectsTheRequest() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).queueCapacity(0))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> executor.acquire("b"))
                    .satisfies(e -> assertThat(e.rejection().reason()).isEqualTo(RejectionReason.GLOBAL_QUEUE_FULL));
            blocker.release();
        }
    }

    @Test
    void requestDisplacesATaskOfAKeyWithALongerQueue() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(1).queueCapacity(3))) {
            BlockingTask blocker = BlockingTask.in(executor, "greedy");
            List<TaskHandle<Integer>> queued = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                queued.add(executor.submit("greedy", () -> 1));
            }
            Caller<Integer> caller = Caller.of(() -> executor.call("other", () -> 2));
            eventually(() -> assertThat(queued.getFirst().isDone()).isTrue());
            assertThat(queued.getFirst().join().rejection()).isNotNull();
            blocker.release();
            assertThat(caller.result()).isEqualTo(2);
        }
    }

    @Test
    void waitWithoutALimitOfItsOwnExpiresAsTasksDo() {
        try (IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                .maxConcurrency(1)
                .taskExpiry(Duration.ofMillis(20))
                .build())) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            assertThatExceptionOfType(RejectedTaskException.class)
                    .isThrownBy(() -> executor.acquire("b"))
                    .satisfies(e -> assertThat(e.rejection().reason()).isEqualTo(RejectionReason.EXPIRED));
            blocker.release();
        }
    }

    @Test
    void announcedRequestsReachTheListener() throws Exception {
        Events events = new Events();
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p.taskLifecycleListener(events))) {
            executor.call(
                    "key",
                    () -> 1,
                    PermitOptions.builder().taskId("request").announce(true).build());
            assertThat(events.of("key/request")).containsExactly("submitted", "started", "completed SUCCESS");
        }
    }

    @Test
    void permitMayBeClosedByAnotherThreadAndAfterAShutdown() throws Exception {
        IsolationExecutor executor = IsolationKit.executor(clock, p -> p);
        Permit permit = executor.acquire("key");
        executor.shutdown();
        Thread.ofVirtual().start(permit::close).join();
        assertThat(executor.stats().running()).isZero();
        assertThatThrownBy(() -> executor.acquire("key")).isInstanceOf(RuntimeException.class);
    }

    @Test
    void nullsAreNamed() {
        try (IsolationExecutor executor = IsolationKit.executor(clock, p -> p)) {
            assertThatThrownBy(() -> executor.acquire(null)).hasMessage("key");
            assertThatThrownBy(() -> executor.acquire("key", null)).hasMessage("options");
            assertThatThrownBy(() -> executor.acquireAsync(null)).hasMessage("key");
            assertThatThrownBy(() -> executor.acquireAsync("key", null)).hasMessage("options");
            assertThatThrownBy(() -> executor.tryAcquire("key", (Duration) null))
                    .hasMessage("timeout");
            assertThatThrownBy(() -> executor.call("key", (Runnable) null)).hasMessage("task");
        }
    }
}
