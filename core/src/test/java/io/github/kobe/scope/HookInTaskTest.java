package io.github.kobe.scope;

import static io.github.kobe.scope.ScopeKit.failing;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What may a hook, which delays the task that it is notified of, wait for? What may a dependent action of such a task wait for? */
@Timeout(60)
class HookInTaskTest {

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void hookCannotCloseItsScope(Scheduler scheduler) {
        AtomicReference<ThreadScope> scopeRef = new AtomicReference<>();
        List<String> refused = new CopyOnWriteArrayList<>();
        ThreadHook closing = new ThreadHook() {
            private void close(String when) {
                try {
                    scopeRef.get().close();
                } catch (IllegalStateException e) {
                    refused.add(when);
                }
            }

            @Override
            public void onStart(TaskInfo info) {
                close("start");
            }

            @Override
            public void onSuccess(TaskInfo info, Duration duration) {
                close("success");
            }

            @Override
            public void onFailure(TaskInfo info, Throwable error, Duration duration) {
                close("failure");
            }
        };
        try (ThreadScope scope = ThreadScope.open()
                .withScheduler(scheduler)
                .withHook(closing)
                .withFailurePolicy(FailurePolicy.SUPERVISOR)) {
            scopeRef.set(scope);
            scope.await(scope.submit(() -> "ran"));
            scope.await(scope.submit(failing(new IOException("on purpose"))));
            assertThat(refused).containsExactly("start", "success", "start", "failure");
        }
    }

    @Test
    void tasksSubmittedByAHookAreQueued() {
        AtomicReference<ThreadScope> scopeRef = new AtomicReference<>();
        AtomicReference<Task<String>> second = new AtomicReference<>();
        ThreadHook submitting = new ThreadHook() {
            @Override
            public void onSuccess(TaskInfo info, Duration duration) {
                if (second.get() == null) {
                    // if submit waited, it would wait for the permit of its own task
                    second.set(scopeRef.get().submit(() -> "second"));
                }
            }
        };
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(1).withHook(submitting)) {
            scopeRef.set(scope);
            scope.submit(() -> "first").await();
            assertThat(second.get().await()).isEqualTo("second");
        }
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void dependentActionOfATaskMayWaitForThePermitOfThatTask(Scheduler scheduler) {
        try (ThreadScope scope = ThreadScope.open()
                .withScheduler(scheduler)
                .withConcurrencyLimit(1)
                .withHook(new ThreadHook() {})) {
            BlockingTask blocker = BlockingTask.interruptible();
            Task<String> first = scope.submit(blocker);
            var second = first.thenCompose(
                    value -> scope.submit(() -> value + " twice").toCompletableFuture());
            blocker.release();
            assertThat(second.join()).isEqualTo("released twice");
        }
    }
}
