package io.github.kobe.pool;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.Baggage;
import io.github.kobe.Flaky;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TestKit.BlockingTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which context does a task on a worker see, and what is left of it for the next one? */
@Timeout(60)
class PoolContextTest {

    private final Baggage baggage = Baggage.installed();

    private WorkerPoolBuilder builder() {
        return WorkerPool.builder().contextCarrier(baggage.carrier);
    }

    @ParameterizedTest
    @EnumSource(ThreadKind.class)
    void everyTaskOnAWorkerSeesTheContextOfItsOwnSubmitter(ThreadKind kind) {
        try (WorkerPool pool = builder().threads(kind).build()) {
            List<TaskHandle<String>> handles = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                baggage.set(i % 3 == 0 ? null : "r" + i);
                handles.add(pool.submit("group " + i % 5, () -> {
                    String seen = String.valueOf(baggage.get());
                    baggage.set("left behind");
                    return seen;
                }));
            }
            for (int i = 0; i < handles.size(); i++) {
                assertThat(resultOf(handles.get(i)).value()).isEqualTo(i % 3 == 0 ? "null" : "r" + i);
            }
        }
        assertThat(baggage.restores).hasValue(baggage.installs.get());
    }

    @Test
    void attemptsAndCallbacksSeeTheContext() {
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        Flaky flaky = Flaky.failing(2);
        try (WorkerPool pool = builder()
                .recovery(error -> seen.add("recovery " + baggage.get()))
                .build()) {
            baggage.set("r1");
            Callable<String> task = () -> {
                seen.add("attempt " + baggage.get());
                return flaky.call();
            };
            TaskOptions options =
                    TaskOptions.builder().retry(RetryPolicy.attempts(3)).build();
            TaskHandle<String> handle = pool.submit(task, options);
            baggage.set("r2");
            assertThat(resultOf(handle).value()).isEqualTo("succeeded");
        }
        assertThat(seen).containsExactly("attempt r1", "recovery r1", "attempt r1", "recovery r1", "attempt r1");
    }

    @Test
    void submitterThatRunsATaskKeepsItsContext() {
        try (WorkerPool pool = builder()
                .queueCapacity(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .build()) {
            BlockingTask blocker = BlockingTask.interruptible();
            pool.submit(blocker);
            await(blocker.started);
            int installed = baggage.installs.get();
            baggage.set("r1");
            assertThat(resultOf(pool.submit(() -> baggage.get())).value()).isEqualTo("r1");
            baggage.set(null);
            resultOf(pool.submit(() -> {
                baggage.set("by a task on this thread");
                return true;
            }));
            assertThat(baggage.get()).isEqualTo("by a task on this thread");
            assertThat(baggage.installs).hasValue(installed);
            blocker.release();
        }
    }

    @Test
    void viewIsCarriedAndARestartKeepsTheCarrier() throws Exception {
        try (WorkerPool pool = builder().build()) {
            baggage.set("r1");
            assertThat(pool.asExecutorService().submit(baggage::get).get()).isEqualTo("r1");
            pool.shutdown();
            pool.restart();
            assertThat(resultOf(pool.submit(baggage::get)).value()).isEqualTo("r1");
            pool.setMaxWorkers(3);
            pool.shutdown();
            pool.restart(b -> b.name("again"));
            assertThat(resultOf(pool.submit(baggage::get)).value()).isEqualTo("r1");
            eventually(() -> assertThat(baggage.restores).hasValue(baggage.installs.get()));
        }
    }
}
