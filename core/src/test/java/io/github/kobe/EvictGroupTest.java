package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Peak;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does evictGroup forget the limits of a group and nothing else? */
@Timeout(60)
class EvictGroupTest {

    private final AtomicInteger limit = new AtomicInteger(1);
    private final GroupExecutor executor = executor(b -> b.concurrencyResolver(key -> limit.get()));

    @AfterEach
    void close() {
        executor.close();
    }

    private int limitInUse() {
        return executor.groupStats("g").orElseThrow().maxConcurrency();
    }

    @Test
    void nextSubmitResolvesTheLimitsAgain() {
        resultOf(executor.submit("g", "t", () -> "ran"));
        limit.set(5);
        resultOf(executor.submit("g", "t", () -> "ran"));
        assertThat(limitInUse()).isEqualTo(1);
        executor.evictGroup("g");
        assertThat(resultOf(executor.submit("g", "t", () -> "ran")).value()).isEqualTo("ran");
        assertThat(limitInUse()).isEqualTo(5);
    }

    @Test
    void idleGroupLeavesNoState() {
        resultOf(executor.submit("g", "t", () -> "ran"));
        assertThat(executor.activeGroupKeys()).containsExactly("g");
        executor.evictGroup("g");
        assertThat(executor.activeGroupKeys()).isEmpty();
        assertThat(executor.groupStats("g")).isEmpty();
    }

    @Test
    void runningTaskFinishesAndQueuedOnesAreNotLost() {
        BlockingTask blocker = BlockingTask.interruptible();
        TaskHandle<String> running = executor.submit("g", "running", blocker);
        await(blocker.started);
        TaskHandle<String> queued = executor.submit("g", "queued", () -> "ran");
        executor.evictGroup("g");
        letOthersRun();
        assertThat(queued.isDone()).isFalse();
        blocker.release();
        assertThat(resultOf(running).value()).isEqualTo("released");
        assertThat(resultOf(queued).value()).isEqualTo("ran");
        assertThat(blocker.wasInterrupted()).isFalse();
    }

    @Test
    void oldAndNewTasksTogetherKeepTheLimit() {
        BlockingTask old = BlockingTask.in(executor, "g");
        executor.evictGroup("g");
        BlockingTask fresh = BlockingTask.interruptible();
        executor.submit("g", "fresh", fresh);
        letOthersRun();
        assertThat(fresh.hasStarted()).isFalse();
        assertThat(executor.groupStats("g").orElseThrow().activeCount()).isEqualTo(1);
        old.release();
        await(fresh.started);
        fresh.release();
    }

    @Test
    void raisedLimitStartsQueuedTasks() {
        BlockingTask.in(executor, "g");
        BlockingTask waiting = BlockingTask.interruptible();
        executor.submit("g", "waiting", waiting);
        limit.set(3);
        executor.evictGroup("g");
        BlockingTask newcomer = BlockingTask.interruptible();
        executor.submit("g", "newcomer", newcomer);
        await(waiting.started);
        await(newcomer.started);
        assertThat(executor.groupStats("g").orElseThrow().activeCount()).isEqualTo(3);
    }

    @Test
    void noTaskStartsUntilALoweredLimitIsPaidOff() {
        limit.set(3);
        List<BlockingTask> old =
                List.of(BlockingTask.in(executor, "g"), BlockingTask.in(executor, "g"), BlockingTask.in(executor, "g"));
        limit.set(1);
        executor.evictGroup("g");
        BlockingTask next = BlockingTask.interruptible();
        executor.submit("g", "next", next);
        for (BlockingTask blocker : old.subList(0, 2)) {
            blocker.release();
            await(blocker.ended);
            letOthersRun();
            assertThat(next.hasStarted()).as("another task still runs").isFalse();
        }
        old.get(2).release();
        await(next.started);
    }

    @Test
    void unknownGroupIsIgnored() {
        executor.evictGroup("unknown");
        assertThat(executor.activeGroupKeys()).isEmpty();
    }

    @Test
    void repeatedEvictionLosesNoTaskAndBreaksNoLimit() throws Throwable {
        limit.set(2);
        Peak peak = new Peak();
        TestKit.whileRepeating(() -> executor.evictGroup("g"), () -> {
            List<TaskHandle<String>> handles = new ArrayList<>();
            for (int i = 0; i < 5000; i++) {
                handles.add(executor.submit(
                        "g",
                        "t" + i,
                        () -> peak.during(() -> {
                            TestKit.yieldToOthers();
                            return "ran";
                        })));
            }
            assertThat(handles).allSatisfy(h -> assertThat(resultOf(h).value()).isEqualTo("ran"));
        });
        assertThat(peak.most()).isBetween(1, 2);
    }
}
