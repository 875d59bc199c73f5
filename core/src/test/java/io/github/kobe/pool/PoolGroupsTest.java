package io.github.kobe.pool;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.RejectionPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Peak;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Do groups compete fairly for the workers of one pool? */
class PoolGroupsTest {

    private final List<String> order = Collections.synchronizedList(new ArrayList<>());

    private void submit(WorkerPool pool, String group, int number) {
        for (int i = 0; i < number; i++) {
            pool.submit(group, () -> order.add(group));
        }
    }

    @Test
    void backlogOfOneGroupDelaysAnotherByOneRound() {
        try (WorkerPool pool = WorkerPool.builder().name("p").build()) {
            BlockingTask blocker = BlockingTask.interruptible();
            pool.submit(blocker);
            await(blocker.started);
            submit(pool, "a", 50);
            submit(pool, "b", 3);
            pool.submit(() -> order.add("p"));
            blocker.release();
        }
        assertThat(order).hasSize(54);
        assertThat(order.subList(0, 9).stream().filter("b"::equals)).hasSize(3);
        assertThat(order.subList(0, 4)).contains("p");
    }

    @Test
    void startsAreInProportionToWeights() {
        try (WorkerPool pool = WorkerPool.builder().build()) {
            BlockingTask blocker = BlockingTask.interruptible();
            pool.submit(blocker);
            await(blocker.started);
            pool.setWeight("a", 3);
            submit(pool, "a", 30);
            submit(pool, "b", 30);
            blocker.release();
        }
        assertThat(order.subList(0, 20).stream().filter("a"::equals)).hasSizeBetween(14, 16);
    }

    @Test
    void allGroupsTogetherUseNoMoreThanMaxWorkers() {
        Peak peak = new Peak();
        try (WorkerPool pool = WorkerPool.builder().maxWorkers(3).build()) {
            for (int i = 0; i < 3000; i++) {
                if (i % 4 == 0) {
                    pool.submit(() -> peak.during(() -> 1));
                } else {
                    pool.submit("g" + i % 4, () -> peak.during(() -> 1));
                }
            }
        }
        assertThat(peak.most()).isBetween(1, 3);
    }

    @Test
    void resizingAppliesToGroupsToo() {
        try (WorkerPool pool = WorkerPool.builder().build()) {
            List<BlockingTask> blockers =
                    List.of(BlockingTask.interruptible(), BlockingTask.interruptible(), BlockingTask.interruptible());
            for (int i = 0; i < 3; i++) {
                BlockingTask blocker = blockers.get(i);
                pool.submit("g" + i, () -> blocker.call());
            }
            await(blockers.get(0).started);
            assertThat(blockers.get(1).hasStarted()).isFalse();
            pool.setMaxWorkers(3);
            blockers.forEach(blocker -> await(blocker.started));
            blockers.forEach(BlockingTask::release);
        }
    }

    @Test
    void queueCapacityCoversAllGroupsTogether() {
        try (WorkerPool pool = WorkerPool.builder()
                .queueCapacity(2)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .build()) {
            BlockingTask blocker = BlockingTask.interruptible();
            pool.submit("a", () -> blocker.call());
            await(blocker.started);
            TaskHandle<Integer> first = pool.submit("b", () -> 1);
            TaskHandle<Integer> second = pool.submit(() -> 2);
            TaskHandle<Integer> third = pool.submit("c", () -> 3);
            assertThat(resultOf(third).status()).isEqualTo(TaskStatus.REJECTED);
            blocker.release();
            assertThat(resultOf(first).value()).isEqualTo(1);
            assertThat(resultOf(second).value()).isEqualTo(2);
            eventually(() -> assertThat(pool.stats().queuedTasks()).isZero());
        }
    }
}
