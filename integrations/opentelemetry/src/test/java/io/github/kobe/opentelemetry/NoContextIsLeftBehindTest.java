package io.github.kobe.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.ContextCarrier;
import io.github.kobe.TaskHandle;
import io.github.kobe.pool.ThreadKind;
import io.github.kobe.pool.WorkerPool;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Do workers, which run many tasks, keep nothing of a task? Strict context storage is on: a leaked scope fails {@code Traces.close}. */
class NoContextIsLeftBehindTest {

    private static final int TASKS = 10_000;
    private static final int WORKERS = 4;
    private static final ContextKey<String> TENANT = ContextKey.named("tenant");

    @Test
    void workersHaveNoContextAfterTheirTasks() throws Exception {
        try (Traces traces = new Traces()) {
            TracingListener tracing = TracingListener.create(traces.openTelemetry());
            AtomicInteger inTheirSpan = new AtomicInteger();
            try (WorkerPool pool = WorkerPool.builder()
                    .minWorkers(WORKERS)
                    .maxWorkers(WORKERS)
                    .threads(ThreadKind.PLATFORM)
                    .taskLifecycleListener(tracing)
                    .contextCarrier(tracing.carrier())
                    .build()) {
                traces.inSpan("request", () -> {
                    List<TaskHandle<?>> handles = new ArrayList<>();
                    for (int i = 0; i < TASKS; i++) {
                        handles.add(pool.submit(() -> {
                            if (Traces.isInSpan()) {
                                inTheirSpan.incrementAndGet();
                            }
                        }));
                    }
                    for (TaskHandle<?> handle : handles) {
                        handle.await();
                    }
                    return true;
                });
                assertThat(inTheirSpan).hasValue(TASKS);
                assertThat(contextsOfAllWorkers(pool)).hasSize(WORKERS).containsOnly(Context.root());
            }
            assertThat(traces.ofTasks()).hasSize(TASKS);
            assertThat(tracing.openSpans()).isZero();
        }
    }

    /** The carriers differ in what they carry; neither may leave anything. */
    private static Stream<ContextCarrier> carriers() {
        return Stream.of(
                OtelContextCarrier.create(),
                TracingListener.create(OpenTelemetry.noop()).carrier());
    }

    @ParameterizedTest
    @MethodSource("carriers")
    @SuppressWarnings("MustBeClosedChecker") // the task leaves it open on purpose
    void scopeThatATaskLeavesOpenDoesNotReachTheNextTask(ContextCarrier carrier) throws Exception {
        try (WorkerPool pool = WorkerPool.builder()
                .minWorkers(1)
                .maxWorkers(1)
                .contextCarrier(carrier)
                .build()) {
            for (Context submitter : List.of(Context.root(), Context.root().with(TENANT, "carried"))) {
                try (Scope ignored = submitter.makeCurrent()) {
                    pool.submit(() ->
                                    Context.current().with(TENANT, "left open").makeCurrent())
                            .await();
                }
                assertThat(pool.submit(() -> String.valueOf(Context.current().get(TENANT)))
                                .await()
                                .value())
                        .isEqualTo("null");
            }
        }
        AutoCloseable strictStorage = (AutoCloseable) ContextStorage.get();
        assertThatThrownBy(strictStorage::close)
                .as("the tasks left scopes open")
                .isInstanceOf(AssertionError.class);
    }

    /** Tasks that wait for each other are on different workers. They are submitted outside any span, so nothing is installed for them. */
    private static List<Context> contextsOfAllWorkers(WorkerPool pool) throws InterruptedException {
        CyclicBarrier all = new CyclicBarrier(WORKERS);
        List<TaskHandle<Context>> handles = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            handles.add(pool.submit(() -> {
                all.await();
                return Context.current();
            }));
        }
        List<Context> contexts = new ArrayList<>();
        for (TaskHandle<Context> handle : handles) {
            contexts.add(handle.get());
        }
        return contexts;
    }
}
