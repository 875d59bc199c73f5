package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.internal.time.SystemTimer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Dispatching threads that compete lose no permit and no group. A loss would show as a task that never completes. */
class ReadyQueueOnThreadsTest {

    private static final int CLIENTS = 24;
    private static final int TASKS = 2_000;

    private final CountDownLatch done = new CountDownLatch(CLIENTS);

    @ParameterizedTest
    @EnumSource
    void everyTaskCompletes(FairnessTest.Strategy strategy) throws Exception {
        GroupLimits limits = new GroupLimits(2, 2, Integer.MAX_VALUE);
        everyTaskCompletes(strategy, key -> limits, client -> "g" + client % 6);
    }

    @ParameterizedTest
    @EnumSource
    void everyTaskCompletesUnderSharedLimits(FairnessTest.Strategy strategy) throws Exception {
        SharedTestLimits limits = new SharedTestLimits(2)
                .with("tenant", 2)
                .with("endpoint", 1)
                .weighted("tenant", value -> value.equals("0") ? 2 : 1);
        everyTaskCompletes(strategy, limits, client -> "tenant=" + client % 3 + "/endpoint=" + client % 4);
    }

    private void everyTaskCompletes(FairnessTest.Strategy strategy, LimitSource limits, IntFunction<String> keys)
            throws Exception {
        Dispatcher dispatcher = new Dispatcher(
                limits,
                3,
                Integer.MAX_VALUE,
                0, // groups retire at once
                strategy.queue.apply(SystemTimer.shared()),
                TaskRunner.freshVirtualThreads(),
                SystemTimer.shared());
        for (int client = 0; client < CLIENTS; client++) {
            new Client(dispatcher, keys.apply(client)).submitNext();
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        dispatcher.close();
        assertThat(dispatcher.awaitTermination(TimeUnit.SECONDS.toNanos(10))).isTrue();
        await().until(() -> dispatcher.globalInFlight()
                == 0); // the last dispatching thread releases it shortly after the last group has retired
        assertThat(dispatcher.allSharedLimits()).isEmpty();
    }

    /** Submits each task from within the previous one. */
    private final class Client {
        private final Dispatcher dispatcher;
        private final String key;
        private final AtomicInteger left = new AtomicInteger(TASKS);

        Client(Dispatcher dispatcher, String key) {
            this.dispatcher = dispatcher;
            this.key = key;
        }

        void submitNext() {
            if (left.getAndDecrement() == 0) {
                done.countDown();
                return;
            }
            dispatcher.submit(key, new TestTask(this::submitNext));
            Group group = dispatcher.group(key);
            if (group != null) {
                group.fairnessState().setWeight(1 + key.hashCode() % 3);
            }
        }
    }
}
