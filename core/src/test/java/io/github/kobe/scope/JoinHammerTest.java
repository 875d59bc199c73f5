package io.github.kobe.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Quorums and hedges whose tasks succeed, fail and are cancelled at the same moment. If a wake-up is lost, the test hangs. */
@Timeout(60)
class JoinHammerTest {

    private static final Duration FOR_EVER = Duration.ofDays(1);
    private static final int CALLERS = 4;
    private static final int ROUNDS = 500;

    private final AtomicInteger running = new AtomicInteger();

    private static int random(int bound) {
        return ThreadLocalRandom.current().nextInt(bound);
    }

    private static Duration soon() {
        return Duration.ofNanos(1 + random(30_000));
    }

    /** Returns {@code value}, or, if it is negative, throws; after a while. */
    private Callable<Integer> way(int value) {
        return () -> {
            running.incrementAndGet();
            try {
                for (int i = random(1_000); i > 0; i--) {
                    Thread.onSpinWait();
                }
                if (value < 0) {
                    throw new IllegalStateException("way " + value);
                }
                return value;
            } finally {
                running.decrementAndGet();
            }
        };
    }

    /** {@code good} tasks that return different values and {@code bad} tasks that fail. The order does not matter: all start at once. */
    private List<Callable<Integer>> ways(int good, int bad) {
        List<Callable<Integer>> ways = new ArrayList<>();
        for (int i = 1; i <= bad; i++) {
            ways.add(way(-i));
        }
        for (int i = 0; i < good; i++) {
            ways.add(way(i));
        }
        return ways;
    }

    private interface Round {
        void run(ThreadScope scope) throws Exception;
    }

    private static void hammer(Round round) throws Exception {
        try (ThreadScope scope = ThreadScope.open().withDeadline(FOR_EVER)) {
            List<Caller<Boolean>> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                callers.add(Caller.of(() -> {
                    for (int j = 0; j < ROUNDS; j++) {
                        round.run(scope);
                    }
                    return true;
                }));
            }
            for (Caller<Boolean> caller : callers) {
                assertThat(caller.result()).isTrue();
            }
        }
    }

    @Test
    void quorumIsReachedIfEnoughTasksSucceed() throws Exception {
        hammer(scope -> {
            int needed = 1 + random(3);
            int good = needed + random(2);
            List<Integer> values = scope.join(JoinStrategy.quorum(needed), ways(good, random(3)));
            assertThat(values).hasSize(needed).doesNotHaveDuplicates().allMatch(value -> value >= 0 && value < good);
        });
        assertThat(running).hasValue(0);
    }

    @Test
    void unreachableQuorumFailsWithAllFailures() throws Exception {
        hammer(scope -> {
            int needed = 2 + random(2);
            int bad = 1 + random(3);
            int good = needed - 1;
            assertThatExceptionOfType(AggregateException.class)
                    .isThrownBy(() -> scope.join(JoinStrategy.<Integer>quorum(needed), ways(good, bad)))
                    .satisfies(e -> assertThat(e.failures()).hasSize(bad));
        });
        assertThat(running).hasValue(0);
    }

    @Test
    void hedgeHasAWinnerIfItsDelayRacesWithItsFirstTask() throws Exception {
        hammer(scope -> {
            int first = random(3) - 1;
            int value = scope.join(JoinStrategy.hedged(soon()), List.of(way(first), way(7), way(8)));
            assertThat(value).isIn(first < 0 ? List.of(7, 8) : List.of(first, 7, 8));
        });
        assertThat(running).hasValue(0);
    }

    @Test
    void hedgeFailsWithAllFailuresIfAllTasksFail() throws Exception {
        hammer(scope -> assertThatExceptionOfType(AggregateException.class)
                .isThrownBy(() -> scope.join(JoinStrategy.<Integer>hedged(soon()), ways(0, 3)))
                .satisfies(e -> assertThat(e.failures()).hasSize(3)));
        assertThat(running).hasValue(0);
    }

    /** The caller gets a result or a CancelledException. No task is left running, not even one that the hedge was about to submit. */
    @Test
    void cancellingTheScopeDuringAJoinWakesTheCallerAndLeavesNoTaskRunning() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            ThreadScope scope = ThreadScope.open().withDeadline(FOR_EVER).withCloseGrace(FOR_EVER);
            JoinStrategy<Integer, ?> strategy = i % 2 == 0 ? JoinStrategy.quorum(2) : JoinStrategy.hedged(soon());
            Caller<Boolean> joiner = Caller.of(() -> {
                try {
                    scope.join(strategy, ways(3, 0));
                } catch (CancelledException expected) {
                    assertThat(scope.token().isCancelled()).isTrue();
                }
                return true;
            });
            for (int j = random(2_000); j > 0; j--) {
                Thread.onSpinWait();
            }
            scope.token().cancel();
            assertThat(joiner.result()).isTrue();
            scope.close();
            assertThat(running).hasValue(0);
        }
    }
}
