package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do options apply to the tasks of a batch as they do to single submissions? */
@Timeout(60)
class GroupTaskOptionsTest {

    private final GroupExecutor executor = executor(b -> b);

    @AfterEach
    void close() {
        executor.close();
    }

    private static TaskOptions tag(String tag) {
        return TaskOptions.builder().tag(tag).build();
    }

    @Test
    void taskWithoutOptionsHasTheDefaults() {
        assertThat(new GroupTask<>("g", "t", () -> "ran").options()).isEqualTo(TaskOptions.defaults());
    }

    @Test
    void tasksStartByPriority() throws Exception {
        BlockingTask blocker = BlockingTask.in(executor, "g");
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<GroupTask<Boolean>> tasks = new ArrayList<>();
        for (int priority : new int[] {-1, 2, 0, 1}) {
            TaskOptions options = TaskOptions.builder().priority(priority).build();
            tasks.add(new GroupTask<>("g", "t" + priority, () -> order.add(priority), options));
        }
        Caller<List<GroupResult<Boolean>>> batch = Caller.of(() -> executor.executeAll(tasks));
        TestKit.eventually(() ->
                assertThat(executor.groupStats("g").orElseThrow().queuedCount()).isEqualTo(4));
        blocker.release();
        assertThat(batch.result()).extracting(GroupResult::taskId).containsExactly("t-1", "t2", "t0", "t1");
        assertThat(order).containsExactly(2, 1, 0, -1);
    }

    @Test
    void timeoutsRetriesRecoveriesAndTagsApply() {
        List<Throwable> recovered = new CopyOnWriteArrayList<>();
        Flaky flaky = Flaky.failing(1);
        BlockingTask blocker = BlockingTask.in(executor, "full");
        List<GroupResult<String>> results = executor.executeAll(List.of(
                new GroupTask<>(
                        "a",
                        "times out",
                        BlockingTask.interruptible(),
                        TaskOptions.builder().timeout(Duration.ofMillis(5)).build()),
                new GroupTask<>(
                        "full",
                        "expires",
                        () -> "ran",
                        TaskOptions.builder().maxQueueTime(Duration.ofMillis(5)).build()),
                new GroupTask<>(
                        "b",
                        "is tried again",
                        flaky,
                        TaskOptions.builder()
                                .retry(RetryPolicy.attempts(2))
                                .recovery(recovered::add)
                                .build()),
                new GroupTask<>("c", "is tagged", () -> "ran", tag("mail")),
                new GroupTask<>("d", "is plain", () -> "ran")));
        assertThat(results)
                .extracting(GroupResult::status)
                .containsExactly(
                        TaskStatus.FAILED,
                        TaskStatus.REJECTED,
                        TaskStatus.SUCCESS,
                        TaskStatus.SUCCESS,
                        TaskStatus.SUCCESS);
        assertThat(results.get(0).error()).isInstanceOf(TaskTimeoutException.class);
        assertThat(results.get(1).rejection().reason()).isEqualTo(RejectionReason.EXPIRED);
        assertThat(recovered).containsExactlyElementsOf(flaky.thrown).hasSize(1);
        assertThat(executor.groupStats("c").orElseThrow().completedByTag()).isEqualTo(Map.of("mail", 1L));
        blocker.release();
    }

    @Test
    void optionsApplyToCompletionsToo() {
        Stream<GroupTask<String>> tasks = Stream.of(
                new GroupTask<>(
                        "a",
                        "times out",
                        BlockingTask.interruptible(),
                        TaskOptions.builder().timeout(Duration.ofMillis(5)).build()),
                new GroupTask<>(
                        "b",
                        "is tried again",
                        Flaky.failing(1),
                        TaskOptions.builder().retry(RetryPolicy.attempts(2)).build()));
        try (Stream<GroupResult<String>> results = executor.completions(tasks, 2)) {
            assertThat(results.map(GroupResult::status))
                    .containsExactlyInAnyOrder(TaskStatus.FAILED, TaskStatus.SUCCESS);
        }
    }
}
