package io.github.kobe.scope;

import static io.github.kobe.scope.ScopeKit.failing;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit;
import io.github.kobe.TestKit.BlockingTask;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Does a hook see the context of the task that it is notified of? */
@Timeout(60)
class HookContextTest {

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final ThreadHook hook = new ThreadHook() {
        private void look(String when) {
            seen.add(when + " " + Context.get("who") + " " + Context.get("pool"));
        }

        @Override
        public void onStart(TaskInfo info) {
            look("start");
        }

        @Override
        public void onSuccess(TaskInfo info, Duration duration) {
            look("success");
        }

        @Override
        public void onFailure(TaskInfo info, Throwable error, Duration duration) {
            look("failure");
        }

        @Override
        public void onCancel(TaskInfo info, Duration duration) {
            look("cancel");
        }
    };

    @AfterEach
    void clear() {
        Context.clear();
    }

    @ParameterizedTest
    @MethodSource("io.github.kobe.scope.ScopeKit#schedulers")
    void hookSeesTheContextOfTheSubmitterForEveryOutcome(Scheduler scheduler) {
        try (ThreadScope scope = ThreadScope.open()
                .withScheduler(scheduler)
                .withHook(hook)
                .withFailurePolicy(FailurePolicy.SUPERVISOR)) {
            Context.put("who", "ann");
            scope.await(scope.submit(() -> "ran"));
            Context.put("who", "bob");
            scope.await(scope.submit(failing(new IOException("on purpose"))));
            Context.put("who", "cid");
            BlockingTask blocker = BlockingTask.interruptible();
            Task<String> task = scope.submit(blocker);
            TestKit.await(blocker.started);
            Context.put("who", "nobody");
            task.cancel();
        }
        assertThat(seen)
                .containsExactly(
                        "start ann null",
                        "success ann null",
                        "start bob null",
                        "failure bob null",
                        "start cid null",
                        "cancel cid null");
    }

    @Test
    void contextOfAPoolThreadIsHiddenFromHooksAndRestored() throws Exception {
        try (ExecutorService pool = Executors.newSingleThreadExecutor()) {
            pool.submit(() -> Context.put("pool", "own")).get();
            try (ThreadScope scope =
                    ThreadScope.open().withScheduler(Scheduler.from(pool)).withHook(hook)) {
                Context.put("who", "ann");
                scope.submit(() -> "ran").await();
            }
            assertThat(seen).containsExactly("start ann null", "success ann null");
            assertThat(pool.submit(() -> Context.get("pool")).get()).isEqualTo("own");
        }
    }
}
