package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where does the name of an executor appear, and what is it called without one? */
@Timeout(60)
class ExecutorNamesTest {

    @Test
    void executorHasTheNameOfItsPolicy() {
        try (GroupExecutor groups = executor(b -> b.name("orders"));
                WorkerPool pool = WorkerPool.builder().name("images").build();
                IsolationExecutor isolation = IsolationExecutor.create(
                        IsolationPolicy.builder().name("mail").build())) {
            assertThat(groups.name()).isEqualTo("orders");
            assertThat(pool.name()).isEqualTo("images");
            assertThat(isolation.name()).isEqualTo("mail");
            assertThat(groups.toString()).startsWith("GroupExecutor 'orders'[");
            assertThat(pool.toString()).startsWith("WorkerPool 'images'[");
            assertThat(isolation.toString()).startsWith("IsolationExecutor 'mail'[");
        }
    }

    @Test
    void executorsWithoutANameAreNumbered() {
        GroupPolicy policy = GroupPolicy.builder().build();
        IsolationPolicy isolationPolicy = IsolationPolicy.builder().build();
        assertThat(policy.name()).isNull();
        assertThat(isolationPolicy.name()).isNull();
        try (GroupExecutor groups = GroupExecutor.newVirtualThreadExecutor(policy);
                GroupExecutor otherGroups = GroupExecutor.newVirtualThreadExecutor(policy);
                WorkerPool pool = WorkerPool.builder().build();
                WorkerPool otherPool = WorkerPool.builder().build();
                IsolationExecutor isolation = IsolationExecutor.create(isolationPolicy);
                IsolationExecutor otherIsolation = IsolationExecutor.create(isolationPolicy)) {
            assertThat(groups.name()).matches("groups-[0-9]+").isNotEqualTo(otherGroups.name());
            assertThat(pool.name()).matches("pool-[0-9]+").isNotEqualTo(otherPool.name());
            assertThat(isolation.name()).matches("isolation-[0-9]+").isNotEqualTo(otherIsolation.name());
        }
    }

    @Test
    void poolKeepsItsNameInARestart() {
        try (WorkerPool pool = WorkerPool.builder().build()) {
            String name = pool.name();
            pool.shutdown();
            pool.restart();
            assertThat(pool.name()).isEqualTo(name);
            pool.shutdown();
            pool.restart(b -> b.name("other"));
            assertThat(pool.name()).isEqualTo("other");
        }
    }

    @Test
    void threadsAreNamedAfterExecutorAndGroup() {
        try (GroupExecutor groups = executor(b -> b.name("orders"));
                WorkerPool pool = WorkerPool.builder().name("images").build();
                IsolationExecutor isolation = IsolationExecutor.create(
                        IsolationPolicy.builder().name("mail").build())) {
            assertThat(threadOf(groups.submit("tenant", Thread::currentThread))).isEqualTo("orders/tenant");
            assertThat(threadOf(isolation.submit("tenant", Thread::currentThread)))
                    .isEqualTo("mail/tenant");
            assertThat(threadOf(pool.submit("tenant", Thread::currentThread))).startsWith("images-");
        }
    }

    private static String threadOf(TaskHandle<Thread> handle) {
        return resultOf(handle).value().getName();
    }

    @Test
    void rejectionsNameTheExecutor() {
        try (GroupExecutor groups = executor(b -> b.name("orders").defaultQueueThresholdPerGroup(0))) {
            BlockingTask blocker = BlockingTask.in(groups, "g");
            assertThatThrownBy(() -> groups.submit("g", "t", () -> "ran").await())
                    .hasMessageStartingWith("task 't' of group 'g' rejected: group queue full in 'orders' (1 active, ");
            assertThat(groups.submit("g", "t", () -> "ran").toCompletableFuture())
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(
                            RejectedTaskException.class,
                            e -> assertThat(e.rejection().executorName()).isEqualTo("orders"));
            blocker.release();
        }
    }

    @Test
    void rejectionsOfAnExecutorWithoutANameLeaveItOut() {
        try (GroupExecutor groups = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            BlockingTask blocker = BlockingTask.in(groups, "g");
            assertThatThrownBy(() -> groups.submit("g", "t", () -> "ran").await())
                    .hasMessageStartingWith("task 't' of group 'g' rejected: group queue full (1 active, ");
            blocker.release();
        }
    }

    @Test
    void warningsNameTheExecutor() {
        try (Log log = new Log();
                GroupExecutor groups = executor(b -> b.name("orders").concurrencyResolver(key -> {
                    throw new IllegalStateException("no limit");
                }))) {
            resultOf(groups.submit("g", "t", () -> "ran"));
            assertThat(log.lines("concurrencyResolver"))
                    .singleElement()
                    .asString()
                    .startsWith("group executor 'orders': ");
        }
    }

    @Test
    void blankNamesAreRefused() {
        assertThatThrownBy(() -> GroupPolicy.builder().name(" ").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name must not be blank, but is ' '");
        assertThatThrownBy(() -> WorkerPool.builder().name("").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name must not be blank, but is ''");
        assertThatThrownBy(() -> IsolationPolicy.builder().name(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name must not be blank, but is ''");
    }
}
