package io.github.kobe.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.PermitOptions;
import io.github.kobe.Registration;
import io.github.kobe.TaskHandle;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.scope.ThreadScope;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Is a task traced on each API, and if the listener comes late? */
class AllExecutorsTest {

    private final Traces traces = new Traces();
    private final TracingListener tracing = TracingListener.create(traces.openTelemetry());
    private final AtomicReference<String> seen = new AtomicReference<>();

    @AfterEach
    void nothingIsLeft() throws Exception {
        assertThat(tracing.openSpans()).isZero();
        traces.close();
    }

    private void seesSpan() {
        seen.set(Traces.currentSpanId());
    }

    private void assertTraced(String submitter) {
        assertThat(traces.onlyTask().getParentSpanId()).isEqualTo(submitter);
        assertThat(seen).hasValue(traces.onlyTask().getSpanId());
    }

    @Test
    void isolationExecutor() throws Exception {
        String submitter;
        try (IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                .maxConcurrency(2)
                .taskLifecycleListener(tracing)
                .contextCarrier(tracing.carrier())
                .build())) {
            submitter = traces.inSpan(
                    "request", () -> executor.submit("tenant-1", this::seesSpan).await());
        }
        assertTraced(submitter);
        assertThat(traces.onlyTask().getAttributes().get(AttributeKey.stringKey("group_concurrency.group")))
                .isEqualTo("tenant-1");
    }

    @Test
    void workerPool() throws Exception {
        String submitter;
        try (WorkerPool pool = WorkerPool.builder()
                .maxWorkers(1)
                .taskLifecycleListener(tracing)
                .contextCarrier(tracing.carrier())
                .build()) {
            submitter =
                    traces.inSpan("request", () -> pool.submit(this::seesSpan).await());
        }
        assertTraced(submitter);
    }

    @Test
    void announcedPermit() throws Exception {
        PermitOptions announced = PermitOptions.builder().announce(true).build();
        String caller;
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().taskLifecycleListener(tracing).build())) {
            caller = traces.inSpan("request", () -> {
                executor.call("g", this::seesSpan, announced);
                return true;
            });
        }
        assertThat(traces.onlyTask().getParentSpanId()).isEqualTo(caller);
        assertThat(seen).as("code on the caller's thread has the caller's span").hasValue(caller);
    }

    @Test
    void scopeWithLinks() throws Exception {
        TracingListener linking = TracingListener.builder(traces.openTelemetry())
                .relation(SpanRelation.LINK)
                .build();
        String submitter = traces.inSpan("request", () -> {
            try (ThreadScope scope = linking.trace(ThreadScope.open())) {
                return scope.submit(this::seesSpan).await();
            }
        });
        SpanData span = traces.onlyTask();
        assertThat(span.getParentSpanContext().isValid()).isFalse();
        assertThat(span.getLinks())
                .singleElement()
                .satisfies(link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(submitter));
        assertThat(seen).hasValue(span.getSpanId());
    }

    @Test
    void listenerThatIsAddedLaterTracesWhatIsSubmittedFromThenOn() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                GroupPolicy.builder().contextCarrier(tracing.carrier()).build())) {
            traces.inSpan("request", () -> {
                TaskHandle<?> before = executor.submit("g", "before", Traces.awaits(done));
                try (Registration ignored = executor.addListener(tracing)) {
                    TaskHandle<?> after = executor.submit("g", "after", () -> 1);
                    done.countDown();
                    before.await();
                    return after.await();
                }
            });
        }
        assertThat(traces.onlyTask().getAttributes().get(AttributeKey.stringKey("group_concurrency.task.id")))
                .isEqualTo("after");
    }
}
