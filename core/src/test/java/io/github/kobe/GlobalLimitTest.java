package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.CurrentStats;
import io.github.kobe.TestKit.Peak;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Is the global limit kept and shared fairly? */
@Timeout(60)
class GlobalLimitTest {

    @Test
    void allGroupsTogetherNeverExceedTheLimit() {
        Peak peak = new Peak();
        CountDownLatch full = new CountDownLatch(3);
        Semaphore mayLeave = new Semaphore(0);
        List<TaskHandle<String>> handles = new ArrayList<>();
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(3).defaultMaxConcurrencyPerGroup(2))) {
            for (int i = 0; i < 20; i++) {
                handles.add(executor.submit(
                        "g" + i % 5,
                        "t" + i,
                        () -> peak.during(() -> {
                            full.countDown();
                            mayLeave.acquire();
                            return "done";
                        })));
            }
            await(full);
            letOthersRun();
            assertThat(peak.now()).isEqualTo(3);
            mayLeave.release(20);
            assertThat(handles).allSatisfy(h -> assertThat(resultOf(h).value()).isEqualTo("done"));
        }
        assertThat(peak.most()).isEqualTo(3);
    }

    @Test
    void backlogDelaysAnotherGroupByAtMostOneRound() {
        Queue<String> starts = new ConcurrentLinkedQueue<>();
        List<TaskHandle<Boolean>> handles = new ArrayList<>();
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(1).defaultMaxConcurrencyPerGroup(100))) {
            BlockingTask blocker = BlockingTask.in(executor, "first");
            for (int i = 0; i < 100; i++) {
                handles.add(executor.submit("heavy", "h" + i, () -> starts.add("heavy")));
            }
            for (int i = 0; i < 2; i++) {
                handles.add(executor.submit("light", "l" + i, () -> starts.add("light")));
            }
            blocker.release();
            assertThat(handles).allSatisfy(h -> assertThat(resultOf(h).value()).isTrue());
        }
        assertThat(starts).hasSize(102);
        assertThat(new ArrayList<>(starts).lastIndexOf("light"))
                .as("two groups, two light tasks: both within the first two rounds")
                .isLessThan(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void competingGroupsAlternate(int groupLimit) {
        Queue<String> starts = new ConcurrentLinkedQueue<>();
        List<TaskHandle<Boolean>> handles = new ArrayList<>();
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(1).defaultMaxConcurrencyPerGroup(groupLimit))) {
            BlockingTask blocker = BlockingTask.in(executor, "first");
            for (String group : List.of("a", "b", "c")) {
                for (int i = 0; i < 30; i++) {
                    handles.add(executor.submit(group, "t" + i, () -> starts.add(group)));
                }
            }
            blocker.release();
            handles.forEach(TestKit::resultOf);
        }
        List<String> order = new ArrayList<>(starts);
        assertThat(order).hasSize(90);
        for (int round = 0; round < 30; round++) {
            assertThat(order.subList(3 * round, 3 * round + 3))
                    .as("round %s", round)
                    .containsExactlyInAnyOrder("a", "b", "c");
        }
    }

    @Test
    void groupAtItsOwnLimitDoesNotBlockOthers() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(2).defaultMaxConcurrencyPerGroup(1))) {
            BlockingTask blocker = BlockingTask.in(executor, "stuck");
            for (int i = 0; i < 40; i++) {
                executor.submit("stuck", "t" + i, () -> "waits");
            }
            for (int i = 0; i < 10; i++) {
                assertThat(resultOf(executor.submit("free", "t" + i, () -> "ran"))
                                .value())
                        .isEqualTo("ran");
            }
            assertThat(blocker.hasEnded()).isFalse();
        }
    }

    @Test
    void queuedTasksHoldNoPermit() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(2).defaultMaxConcurrencyPerGroup(1))) {
            BlockingTask.in(executor, "stuck");
            for (int i = 0; i < 5; i++) {
                executor.submit("stuck", "t" + i, () -> "waits");
            }
            assertThat(CurrentStats.of(executor)).isEqualTo(new CurrentStats(1, 1, 5, 1, 2));
        }
    }

    @Test
    void permitOfAFailedTaskGoesToTheNextTask() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(1))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            TaskHandle<String> bad = executor.submit("b", "bad", () -> {
                throw new StackOverflowError("on purpose");
            });
            TaskHandle<String> next = executor.submit("c", "next", () -> "ran");
            blocker.release();
            assertThat(resultOf(bad).status()).isEqualTo(TaskStatus.FAILED);
            assertThat(resultOf(next).value()).isEqualTo("ran");
        }
    }
}
