package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.end;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.letOthersRun;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.Plug;
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
            Plug plug = Plug.polite();
            TaskHandle<String> running = executor.submit("a", "running", plug);
            await(plug.started);
            AtomicInteger ran = new AtomicInteger();
            List<TaskHandle<Integer>> queued = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                queued.add(executor.submit("a", "t" + i, ran::incrementAndGet));
            }
            executor.shutdownGroup("a");
            assertThat(running.isDone()).isTrue();
            assertThat(queued).allMatch(TaskHandle::isDone);
            await(plug.interrupted);
            assertThat(end(running).status()).isEqualTo(TaskStatus.CANCELLED);
            assertThat(queued).allSatisfy(h -> assertThat(end(h).status()).isEqualTo(TaskStatus.CANCELLED));
            assertThat(end(queued.get(0)).error()).hasMessageContaining("group shut down");
            letOthersRun();
            assertThat(ran).hasValue(0);
        }
    }

    @Test
    void otherGroupsAreNotAffected() {
        try (GroupExecutor executor = executor(b -> b)) {
            Plug.in(executor, "a");
            Plug plug = Plug.polite();
            TaskHandle<String> running = executor.submit("b", "running", plug);
            await(plug.started);
            TaskHandle<String> queued = executor.submit("b", "queued", () -> "ran");
            executor.shutdownGroup("a");
            plug.release();
            assertThat(end(running).value()).isEqualTo("released");
            assertThat(end(queued).value()).isEqualTo("ran");
            assertThat(plug.wasInterrupted()).isFalse();
        }
    }

    @Test
    void nextTaskRunsUnderLimitsResolvedAgain() {
        AtomicInteger limit = new AtomicInteger(2);
        try (GroupExecutor executor = executor(b -> b.concurrencyResolver(key -> limit.get()))) {
            Plug plug = Plug.in(executor, "a");
            assertThat(executor.groupStats("a").orElseThrow().maxConcurrency()).isEqualTo(2);
            limit.set(7);
            executor.shutdownGroup("a");
            assertThat(end(executor.submit("a", "next", () -> "ran")).value()).isEqualTo("ran");
            assertThat(executor.groupStats("a").orElseThrow().maxConcurrency()).isEqualTo(7);
            await(plug.ended);
        }
    }

    @Test
    void taskThatIgnoresInterruptionKeepsItsPermitUntilItReturns() {
        try (GroupExecutor executor = executor(b -> b)) {
            Plug stubborn = Plug.stubborn();
            TaskHandle<String> old = executor.submit("a", "old", stubborn);
            await(stubborn.started);
            executor.shutdownGroup("a");
            assertThat(end(old).status()).isEqualTo(TaskStatus.CANCELLED);
            AtomicBoolean alone = new AtomicBoolean();
            TaskHandle<Boolean> next = executor.submit("a", "next", () -> {
                alone.set(stubborn.hasEnded());
                return true;
            });
            await(stubborn.interrupted);
            letOthersRun();
            assertThat(next.isDone()).isFalse();
            stubborn.release();
            assertThat(end(next).value()).isTrue();
            assertThat(alone).as("never two at once in a group of limit one").isTrue();
        }
    }

    @Test
    void itsGlobalPermitsGoToOtherGroups() {
        try (GroupExecutor executor = executor(b -> b.globalMaxInFlight(1))) {
            Plug.in(executor, "a");
            for (int i = 0; i < 5; i++) {
                executor.submit("a", "t" + i, () -> "ran");
            }
            TaskHandle<String> other = executor.submit("b", "t", () -> "ran");
            executor.shutdownGroup("a");
            assertThat(end(other).value()).isEqualTo("ran");
            assertThat(end(executor.submit("a", "again", () -> "ran")).value()).isEqualTo("ran");
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
                handles.forEach(TestKit::end);
            });
            assertThat(end(executor.submit("a", "last", () -> "ran")).value()).isEqualTo("ran");
        }
    }
}
