package io.github.kobe;

import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Events;
import io.github.kobe.TestKit.Log;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Does a resolver that uses its own group get an error, and is the group usable afterwards? */
@Timeout(60)
class ResolverReentranceTest {

    /** What a resolver may try to do with a group. */
    private enum Use {
        SUBMIT,
        ACQUIRE,
        TRY_ACQUIRE,
        CALL,
        ACQUIRE_ANNOUNCED,
        ACQUIRE_ASYNC,
        SET_LIMIT,
        PAUSE,
        RESET,
        EVICT,
        SHUT_DOWN;

        private static final PermitOptions ANNOUNCED =
                PermitOptions.builder().announce(true).build();

        void of(GroupExecutor executor, String key) throws Exception {
            switch (this) {
                case SUBMIT -> executor.submit(key, "nested", () -> "ran");
                case ACQUIRE -> executor.acquire(key).close();
                case TRY_ACQUIRE -> executor.tryAcquire(key, Duration.ZERO);
                case CALL -> executor.call(key, () -> "ran");
                case ACQUIRE_ANNOUNCED -> executor.acquire(key, ANNOUNCED).close();
                case ACQUIRE_ASYNC -> executor.acquireAsync(key, ANNOUNCED).thenAccept(Permit::close);
                case SET_LIMIT -> executor.setMaxConcurrency(key, 9);
                case PAUSE -> executor.pauseGroup(key);
                case RESET -> executor.resetGroup(key);
                case EVICT -> executor.evictGroup(key);
                case SHUT_DOWN -> executor.shutdownGroup(key);
            }
        }
    }

    private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    private GroupExecutor executor;

    private int resolve(Use use, String key) {
        try {
            use.of(executor, key);
        } catch (Throwable e) {
            thrown.add(e);
        }
        return 3;
    }

    private void assertThrownOnce() {
        assertThat(thrown).singleElement().isInstanceOf(IllegalStateException.class);
        assertThat(thrown.peek()).hasMessage("a resolver of group 'g' uses its own group; the call has no effect");
    }

    @ParameterizedTest
    @EnumSource(Use.class)
    void useOfItsOwnGroupFails(Use use) {
        executor = TestKit.executor(b -> b.concurrencyResolver(key -> resolve(use, key)));
        try (GroupExecutor closed = executor) {
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
            assertThrownOnce();
            GroupStats stats = executor.groupStats("g").orElseThrow();
            assertThat(stats.maxConcurrency()).isEqualTo(3);
            assertThat(stats.paused()).isFalse();
            assertThat(stats.counts().submitted()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Use.class)
    void useOfItsOwnGroupFailsAfterAnEviction(Use use) {
        executor = TestKit.executor(
                b -> b.concurrencyResolver(key -> executor.groupStats(key).isPresent() ? resolve(use, key) : 2));
        try (GroupExecutor closed = executor) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            executor.evictGroup("g");
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
            assertThrownOnce();
            assertThat(executor.groupStats("g").orElseThrow().maxConcurrency()).isEqualTo(3);
            blocker.release();
        }
    }

    @ParameterizedTest
    @EnumSource(Use.class)
    void useOfAnotherGroupIsAllowed(Use use) {
        executor = TestKit.executor(b -> b.concurrencyResolver(key -> key.equals("g") ? resolve(use, "other") : 1));
        try (GroupExecutor closed = executor) {
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
            assertThat(thrown).isEmpty();
        }
    }

    @Test
    void circleOfTwoGroupsFailsWhereItCloses() {
        executor =
                TestKit.executor(b -> b.concurrencyResolver(key -> resolve(Use.CALL, key.equals("g") ? "other" : "g")));
        try (GroupExecutor closed = executor) {
            assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
            assertThrownOnce();
            assertThat(executor.activeGroupKeys()).containsExactlyInAnyOrder("g", "other");
        }
    }

    @Test
    void resolverThatDoesNotCatchTheErrorCountsAsBroken() {
        try (Log log = new Log()) {
            executor = TestKit.executor(b -> b.concurrencyResolver(key -> {
                executor.evictGroup(key);
                return 3;
            }));
            try (GroupExecutor closed = executor) {
                assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value())
                        .isEqualTo("ran");
                assertThat(executor.groupStats("g").orElseThrow().maxConcurrency())
                        .isEqualTo(1);
            }
            assertThat(log.lines("uses its own group")).hasSize(1);
        }
    }

    @Test
    void listenerIsToldOfTheOutcomeOfTheNestedSubmit() {
        for (RejectionPolicy policy : List.of(RejectionPolicy.ABORT, RejectionPolicy.BLOCK)) {
            Events events = new Events();
            thrown.clear();
            executor = TestKit.executor(b -> b.concurrencyResolver(key -> resolve(Use.SUBMIT, key))
                    .rejectionPolicy(policy)
                    .taskLifecycleListener(events));
            try (GroupExecutor closed = executor) {
                resultOf(executor.submit("g", "t", () -> "ran"));
                assertThrownOnce();
                assertThat(events.of("g/nested")).containsExactly("submitted", "completed CANCELLED");
                assertThat(events.of("g/t")).containsExactly("submitted", "started", "completed SUCCESS");
            }
        }
    }

    @Test
    void listenerIsNotToldOfAPermitThatIsNotRequested() {
        for (Use use : List.of(Use.ACQUIRE_ANNOUNCED, Use.ACQUIRE_ASYNC)) {
            Events events = new Events();
            thrown.clear();
            executor = TestKit.executor(
                    b -> b.concurrencyResolver(key -> resolve(use, key)).taskLifecycleListener(events));
            try (GroupExecutor closed = executor) {
                resultOf(closed.submit("g", "t", () -> "ran"));
                assertThrownOnce();
                assertThat(events.of("g/permit")).isEmpty();
            }
        }
    }
}
