package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.kobe.TestKit.Events;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Does every way into an executor throw the same exception after a shutdown? */
@Timeout(60)
class AfterShutdownTest {

    private static final GroupExecutor GROUPS = executor(b -> b.name("e"));
    private static final WorkerPool POOL = WorkerPool.builder().name("p").build();
    private static final IsolationExecutor ISOLATION =
            IsolationExecutor.create(IsolationPolicy.builder().name("i").build());

    static {
        GROUPS.shutdown();
        POOL.shutdown();
        ISOLATION.shutdown();
    }

    private static final List<GroupTask<String>> TASKS = List.of(new GroupTask<>("g", "t", () -> "ran"));

    private static Arguments way(String executor, String what, ThrowingCallable call) {
        return Arguments.of(executor + " is shut down, and did not accept " + what, call);
    }

    static Stream<Arguments> ways() {
        TaskOptions urgent = TaskOptions.builder().priority(1).build();
        String groups = "group executor 'e'";
        String task = "task 't' of group 'g'";
        String permit = "a request for a permit of group 'g'";
        String pool = "worker pool 'p'";
        String poolTask = "task 'lambda in AfterShutdownTest' of group ";
        String isolation = "isolation executor 'i'";
        String isolationTask = "task 'lambda in AfterShutdownTest' of group 'k'";
        String isolationPermit = "a request for a permit of group 'k'";
        return Stream.of(
                way(groups, task, () -> GROUPS.submit("g", "t", () -> "ran")),
                way(groups, task, () -> GROUPS.submit("g", "t", () -> "ran", urgent)),
                way(groups, task, () -> GROUPS.submit("g", "t", context -> "ran", urgent)),
                way(groups, "a list of tasks", () -> GROUPS.executeAll(TASKS)),
                way(groups, "a stream of tasks", () -> GROUPS.completions(TASKS)),
                way(groups, "a stream of tasks", () -> GROUPS.completions(TASKS.stream(), 1)),
                way(groups, permit, () -> GROUPS.acquire("g")),
                way(groups, permit, () -> GROUPS.tryAcquire("g", Duration.ZERO)),
                way(groups, permit, () -> GROUPS.tryAcquire("g", Duration.ofSeconds(1))),
                way(groups, permit, () -> GROUPS.call("g", () -> "ran")),
                way(pool, poolTask + "'p'", () -> POOL.submit(context -> "ran")),
                way(pool, poolTask + "'p'", () -> POOL.submit(context -> "ran", urgent)),
                way(pool, poolTask + "'g'", () -> POOL.submit("g", context -> "ran")),
                way(isolation, isolationTask, () -> ISOLATION.submit("k", () -> "ran")),
                way(isolation, isolationTask, () -> ISOLATION.execute("k", () -> {})),
                way(isolation, isolationPermit, () -> ISOLATION.acquire("k")),
                way(isolation, isolationPermit, () -> ISOLATION.tryAcquire("k", Duration.ZERO)),
                way(isolation, isolationPermit, () -> ISOLATION.call("k", () -> "ran")),
                way(isolation, isolationTask, () -> ISOLATION.submit("k", () -> "ran", (key, reason) -> {})));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void everyWayInThrowsTheSame(String message, ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isExactlyInstanceOf(ExecutorShutdownException.class).hasMessage(message);
        assertThat(thrown).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void viewsThrowAsTheJdkDoes() {
        assertThat(catchThrowable(() -> GROUPS.asExecutorService("g").submit(() -> "ran")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(catchThrowable(() -> POOL.asExecutorService().execute(() -> {})))
                .isInstanceOf(RejectedExecutionException.class);
    }

    @ParameterizedTest
    @EnumSource(RejectionPolicy.class)
    void everyPolicyThrowsTheSame(RejectionPolicy policy) {
        Events events = new Events();
        GroupExecutor executor = executor(b -> b.rejectionPolicy(policy).taskLifecycleListener(events));
        executor.shutdown();
        assertThat(catchThrowable(() -> executor.submit("g", "t", () -> "ran")))
                .isInstanceOf(ExecutorShutdownException.class);
        assertThat(events.isEmpty()).isTrue();
    }
}
