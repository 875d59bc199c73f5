package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Does shutdownGroup stop all tasks of the group and no others? */
@Timeout(60)
class ShutdownGroupTest {

    @Test
    void tasksOfTheGroupAreCancelled() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<String> running = executor.submit("a", "running", blocker);
            await(blocker.started);
            AtomicInteger ran = new AtomicInteger();
            List<TaskHandle<Integer>> queued = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                queued.add(executor.submit("a", "t" + i, ran::incrementAndGet));
            }
            executor.shutdownGroup("a");
            assertThat(running.isDone()).isTrue();
            assertThat(queued).allMatch(TaskHandle::isDone);
            await(blocker.interrupted);
            assertThat(resultOf(running).status()).isEqualTo(TaskStatus.CANCELLED);
            assertThat(queued).allSatisfy(h -> assertThat(resultOf(h).status()).isEqualTo(TaskStatus.CANCELLED));
            assertThat(resultOf(queued.get(0)).error()).hasMessageContaining("group shut down");
            letOthersRun();
            assertThat(ran).hasValue(0);
        }
    }

    @Test
    void otherGroupsAreNotAffected() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask.in(executor, "a");
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<String> running = executor.submit("b", "running", blocker);
            await(blocker.started);
            TaskHandle<String> queued = executor.submit("b", "queued", () -> "ran");
            executor.shutdownGroup("a");
            blocker.release();
            assertThat(resultOf(running).value()).isEqualTo("released");
            assertThat(resultOf(queued).value()).isEqualTo("ran");
            assertThat(blocker.wasInterrupted()).isFalse();
        }
    }

    @Test
    void nextTaskRunsUnderLimitsResolvedAgain() {
        AtomicInteger limit = new AtomicInteger(2);
        try (GroupExecutor executor = executor(b -> b.concurrencyResolver(key -> limit.get()))) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            assertThat(executor.groupStats("a").orElseThrow().maxConcurrency()).isEqualTo(2);
            limit.set(7);
            executor.shutdownGroup("a");
            assertThat(resultOf(executor.submit("a", "next", () -> "ran")).value())
                    .isEqualTo("ran");
            assertThat(executor.groupStats("a").orElseThrow().maxConcurrency()).isEqualTo(7);
            await(blocker.ended);
        }
    }

    @Test
    void taskThatIgnoresInterruptionKeepsItsPermitUntilItReturns() {
        try (GroupExecutor executor = executor(b -> b)) {
            BlockingTask stubborn = BlockingTask.uninterruptible();
            TaskHandle<String> old = executor.submit("a", "old", stubborn);
            await(stubborn.started);
            executor.shutdownGroup("a");
            assertThat(resultOf(old).status()).isEqualTo(TaskStatus.CANCELLED);
            AtomicBoolean alone = new AtomicBoolean();
            TaskHandle<Boolean> next = executor.submit("a", "next", () -> {
                alone.set(stubborn.hasEnded());
                return true;
            });
            await(stubborn.interrupted);
            letOthersRun();
            assertThat(next.isDone()).isFalse();
            stubborn.release();
            assertThat(resultOf(next).value()).isTrue();
            assertThat(alone).as("never two at once in a group of limit one").isTrue();
        }
    }

    @Test
    void itsGlobalPermitsGoToOtherGroups() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(1))) {
            BlockingTask.in(executor, "a");
            for (int i = 0; i < 5; i++) {
                executor.submit("a", "t" + i, () -> "ran");
            }
            TaskHandle<String> other = executor.submit("b", "t", () -> "ran");
            executor.shutdownGroup("a");
            assertThat(resultOf(other).value()).isEqualTo("ran");
            assertThat(resultOf(executor.submit("a", "again", () -> "ran")).value())
                    .isEqualTo("ran");
        }
    }

    @Test
    void unknownGroupIsIgnored() {
        try (GroupExecutor executor = executor(b -> b)) {
            executor.shutdownGroup("unknown");
            assertThat(executor.activeGroupKeys()).isEmpty();
        }
    }

    @Test
    void everyTaskSubmittedConcurrentlyCompletes() throws Throwable {
        try (GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(2))) {
            TestKit.whileRepeating(() -> executor.shutdownGroup("a"), () -> {
                List<TaskHandle<String>> handles = new ArrayList<>();
                for (int i = 0; i < 3000; i++) {
                    handles.add(executor.submit("a", "t" + i, () -> "ran"));
                }
                handles.forEach(TestKit::resultOf);
            });
            assertThat(resultOf(executor.submit("a", "last", () -> "ran")).value())
                    .isEqualTo("ran");
        }
    }
}
