package io.github.kobe.isolation;

import static io.github.kobe.isolation.IsolationKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.isolation.IsolationKit.BlockingTask;
import io.github.kobe.isolation.IsolationKit.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Does each of the three shares limit what its name says, and nothing else? */
class ShareTest {

    private final Clock clock = new Clock();

    /** Submits tasks that block. */
    private static List<BlockingTask> submit(IsolationExecutor executor, String key, int number) {
        List<BlockingTask> tasks = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            tasks.add(new BlockingTask());
            executor.submit(key, tasks.get(i));
        }
        return tasks;
    }

    private void completeOne(IsolationExecutor executor, String key) {
        BlockingTask task = BlockingTask.in(executor, key);
        clock.advance(Duration.ofMillis(10));
        task.release();
        eventually(() -> assertThat(running(executor, key)).isZero());
    }

    private static int running(IsolationExecutor executor, String key) {
        return executor.stats(key).orElseThrow().running();
    }

    /** Lets all the time pass that could entitle a key to more permits. */
    private void waitLong() {
        for (int i = 0; i < 100; i++) {
            clock.advance(Duration.ofSeconds(1));
        }
    }

    @Test
    void newKeyHoldsAtMostItsShareHoweverLongNoneOfItsTasksCompletes() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(64).newKeyShare(0.3))) {
            submit(executor, "hangs", 100);
            waitLong();
            assertThat(running(executor, "hangs")).isEqualTo(19);
            assertThat(executor.stats().queued()).isEqualTo(81);
        }
    }

    @Test
    void newKeyHoldsAtMostItsShareAlsoIfItIsTreatedAsFast() throws Exception {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(64).newKeyShare(0.05))) {
            BlockingTask.in(executor, "slow");
            for (int i = 0; i < 20; i++) {
                completeOne(executor, "fast " + i); // so new keys are expected to be fast
            }
            submit(executor, "new", 20);
            assertThat(running(executor, "new")).isEqualTo(3);
        }
    }

    @Test
    void keyHasNoSuchLimitOnceATaskHasCompleted() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(10).newKeyShare(0.3))) {
            List<BlockingTask> tasks = submit(executor, "key", 20);
            assertThat(running(executor, "key")).isEqualTo(3);
            clock.advance(Duration.ofMillis(10));
            tasks.getFirst().release();
            eventually(() -> assertThat(running(executor, "key")).isEqualTo(10));
        }
    }

    @Test
    void everyNewKeyHasItsOwnShare() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(64).newKeyShare(0.3))) {
            submit(executor, "first", 100);
            waitLong();
            submit(executor, "second", 100);
            waitLong();
            assertThat(running(executor, "first")).isEqualTo(19);
            assertThat(running(executor, "second")).isEqualTo(19);
        }
    }

    @Test
    void newKeyAtItsLimitDoesNotDelayAKnownKeyThatIsProbed() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(64).newKeyShare(0.1))) {
            completeOne(executor, "known");
            submit(executor, "known", 20);
            clock.advance(Duration.ofSeconds(1)); // it seems hung now
            submit(executor, "new", 100);
            int before = running(executor, "known");
            submit(executor, "known", 100);
            waitLong();
            assertThat(running(executor, "new")).isEqualTo(6);
            assertThat(running(executor, "known")).isGreaterThan(before);
        }
    }

    @Test
    void limitOfANewKeyFollowsTheBudget() {
        AtomicInteger budget = new AtomicInteger(10);
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(budget::get).newKeyShare(0.3))) {
            submit(executor, "new", 30);
            assertThat(running(executor, "new")).isEqualTo(3);
            budget.set(20);
            eventually(() -> {
                clock.advance(Duration.ofMillis(100));
                assertThat(running(executor, "new")).isEqualTo(6);
            });
        }
    }

    @Test
    void newKeyShareDoesNotLimitAWhiteListedKey() {
        AtomicReference<Set<String>> whiteList = new AtomicReference<>(Set.of());
        try (IsolationExecutor executor = IsolationKit.executor(
                clock, p -> p.maxConcurrency(10).newKeyShare(0.3).whiteList(whiteList::get))) {
            submit(executor, "vip", 30);
            assertThat(running(executor, "vip")).isEqualTo(3);
            whiteList.set(Set.of("vip"));
            eventually(() -> {
                clock.advance(Duration.ofMillis(100));
                assertThat(running(executor, "vip")).isEqualTo(10);
            });
        }
    }

    @Test
    void whiteListShareIsTheNumberOfPermitsOnWhichWhiteListedKeysStartFirst() {
        try (IsolationExecutor executor = IsolationKit.executor(
                clock, p -> p.maxConcurrency(10).whiteListShare(0.5).whiteList(Set.of("vip")))) {
            List<BlockingTask> tasks = submit(executor, "vip", 7);
            eventually(() -> assertThat(tasks).allMatch(BlockingTask::hasStarted));
            assertThat(tasks.stream().filter(task -> task.lane == Lane.WHITE_LIST))
                    .hasSize(5);
            assertThat(tasks.stream().filter(task -> task.lane == Lane.ISOLATION))
                    .hasSize(2);
        }
    }

    @Test
    void maxShareIsTheShareOfALaneWhileOtherKeysAreQueued() {
        try (IsolationExecutor executor =
                IsolationKit.executor(clock, p -> p.maxConcurrency(50).maxShare(0.5))) {
            completeOne(executor, "filler");
            completeOne(executor, "key");
            List<BlockingTask> fill = submit(executor, "filler", 50);
            eventually(() -> assertThat(running(executor, "filler")).isEqualTo(50));
            List<BlockingTask> tasks = submit(executor, "key", 8);
            // three, of which one is in the queue also while threads are about to start tasks of the two others
            for (int i = 0; i < 3; i++) {
                submit(executor, "other" + i, 30);
            }
            fill.forEach(BlockingTask::release);
            eventually(() -> assertThat(tasks).allMatch(BlockingTask::hasStarted));
            assertThat(tasks.stream().filter(task -> task.lane == Lane.FAST))
                    .as("half of a lane of ten")
                    .hasSizeLessThanOrEqualTo(5);
        }
    }
}
