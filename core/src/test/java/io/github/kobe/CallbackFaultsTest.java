package io.github.kobe;

import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Are failures of user code other than tasks counted? */
@Timeout(60)
class CallbackFaultsTest {

    private static final TaskOptions BAD_HOOK = TaskOptions.builder()
            .before(task -> {
                throw new IllegalStateException("bad hook");
            })
            .build();

    @Test
    void groupExecutorCountsThem() {
        TaskLifecycleListener bad = new TaskLifecycleListener() {
            @Override
            public void onSubmitted(TaskIdentity task) {
                throw new IllegalStateException("bad listener");
            }
        };
        try (GroupExecutor executor = executor(b -> b.taskLifecycleListener(bad).concurrencyResolver(key -> 0))) {
            assertThat(executor.callbackFaults()).isZero();
            resultOf(executor.submit("g", "t", () -> "ran"));
            assertThat(executor.callbackFaults()).as("listener and resolver").isEqualTo(2);
            resultOf(executor.submit("g", "t", () -> {
                throw new IllegalStateException("bad task");
            }));
            assertThat(executor.callbackFaults())
                    .as("listener; a failed task is a result")
                    .isEqualTo(3);
            resultOf(executor.submit("g", "t", () -> "ran", BAD_HOOK));
            assertThat(executor.callbackFaults()).as("listener and hook").isEqualTo(5);
        }
    }

    @Test
    void poolCountsThemAlsoAfterARestart() {
        try (WorkerPool pool = WorkerPool.builder().build()) {
            resultOf(pool.submit(() -> "ran", BAD_HOOK));
            assertThat(pool.callbackFaults()).isEqualTo(1);
            pool.shutdown();
            pool.restart();
            assertThat(pool.callbackFaults()).isEqualTo(1);
            resultOf(pool.submit(() -> "ran", BAD_HOOK));
            assertThat(pool.callbackFaults()).isEqualTo(2);
        }
    }

    @Test
    void isolationExecutorCountsThem() {
        try (IsolationExecutor executor =
                IsolationExecutor.create(IsolationPolicy.builder().build())) {
            resultOf(executor.submit("k", () -> "ran", BAD_HOOK));
            assertThat(executor.callbackFaults()).isEqualTo(1);
        }
    }
}
