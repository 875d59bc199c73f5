package io.github.kobe.pool;

import static io.github.kobe.TestKit.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TaskOptions;
import io.github.kobe.TestKit.BlockingTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** In which order do queued tasks start? */
class PoolPriorityTest {

    private record Started(int priority, int number) {}

    private static TaskOptions priority(int p) {
        return TaskOptions.builder().priority(p).build();
    }

    /** One worker is blocked until all tasks are queued. */
    private static List<Started> order(WorkerPoolBuilder settings, List<Integer> priorities) {
        List<Started> order = Collections.synchronizedList(new ArrayList<>());
        try (WorkerPool pool = settings.build()) {
            BlockingTask blocker = BlockingTask.interruptible();
            pool.submit(blocker);
            await(blocker.started);
            for (int i = 0; i < priorities.size(); i++) {
                Started task = new Started(priorities.get(i), i);
                pool.submit(() -> order.add(task), priority(task.priority));
            }
            blocker.release();
        }
        return order;
    }

    @Test
    void largerFirstAndEqualOnesInTheOrderOfSubmission() {
        List<Integer> priorities = new Random(1).ints(500, -5, 6).boxed().toList();
        assertThat(order(WorkerPool.builder(), priorities))
                .hasSize(500)
                .isSortedAccordingTo(
                        Comparator.comparingInt(Started::priority).reversed().thenComparingInt(Started::number));
    }

    @Test
    void alsoWithMorePrioritiesThanQueues() {
        List<Integer> priorities = new Random(2).ints(3000, -500, 500).boxed().toList();
        assertThat(order(WorkerPool.builder(), priorities))
                .hasSize(3000)
                .isSortedAccordingTo(
                        Comparator.comparingInt(Started::priority).reversed().thenComparingInt(Started::number));
    }

    @Test
    void ageingLetsAnEarlierTaskOfLowPriorityStartFirst() {
        // A step is worth so little time that the order of submission decides.
        List<Integer> priorities = new Random(3).ints(200, -9, 10).boxed().toList();
        assertThat(order(WorkerPool.builder().priorityAgeing(Duration.ofNanos(1)), priorities))
                .isSortedAccordingTo(Comparator.comparingInt(Started::number));
    }

    @Test
    void slowAgeingKeepsTheOrderOfPriorities() {
        List<Integer> priorities = new Random(4).ints(200, -9, 10).boxed().toList();
        assertThat(order(WorkerPool.builder().priorityAgeing(Duration.ofDays(1)), priorities))
                .isSortedAccordingTo(
                        Comparator.comparingInt(Started::priority).reversed().thenComparingInt(Started::number));
    }
}
