package io.github.kobe.examples.trace;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.opentelemetry.TracingListener;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A request submits two tasks for a tenant that may run one at a time. The first needs three attempts, and the second waits for it in the
 * queue. The trace of the request shows both.
 */
public final class TraceTree {

    private static final String TENANT = "tenant-1";

    private final Tracer tracer;
    private final GroupExecutor executor;
    private final AtomicInteger queries = new AtomicInteger();

    private TraceTree(Tracer tracer, GroupExecutor executor) {
        this.tracer = tracer;
        this.executor = executor;
    }

    /** Runs the request, then prints its trace. */
    public static void main(String[] args) throws Exception {
        InMemorySpanExporter exporter = InMemorySpanExporter.create();
        SdkTracerProvider provider = SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                .build();
        try (OpenTelemetrySdk openTelemetry =
                OpenTelemetrySdk.builder().setTracerProvider(provider).build()) {
            TracingListener tracing = TracingListener.builder(openTelemetry)
                    .executorName("reports")
                    .build();
            GroupPolicy policy = GroupPolicy.builder()
                    .name("reports")
                    .defaultMaxConcurrencyPerGroup(1)
                    .taskLifecycleListener(tracing)
                    .contextCarrier(tracing.carrier())
                    .build();
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
                new TraceTree(openTelemetry.getTracer("example"), executor).handleRequest();
            }
            SpanTree.print(exporter.getFinishedSpanItems());
        }
    }

    private void handleRequest() throws Exception {
        inSpan("GET /report", () -> {
            TaskHandle<String> rows = executor.submit(TENANT, this::query, options("load"));
            TaskHandle<String> page = executor.submit(TENANT, this::render, options("render"));
            return page.get() + rows.get();
        });
    }

    private static TaskOptions options(String tag) {
        RetryPolicy retry = RetryPolicy.builder()
                .maxAttempts(3)
                .delay(failedAttempts -> Duration.ofMillis(20))
                .keepPermit(true) // so that the second task has to wait
                .build();
        return TaskOptions.builder().tag(tag).retry(retry).build();
    }

    /** A database that answers at the third attempt. Whatever code a task calls, its spans are children of the task's span. */
    private String query() throws Exception {
        return inSpan("query", () -> {
            if (queries.incrementAndGet() < 3) {
                throw new IllegalStateException("connection reset");
            }
            return "rows";
        });
    }

    private String render() throws Exception {
        return inSpan("template", () -> "page");
    }

    private <T> T inSpan(String name, Callable<T> work) throws Exception {
        Span span = tracer.spanBuilder(name).startSpan();
        try (Scope ignored = span.makeCurrent()) {
            return work.call();
        } catch (Exception e) {
            span.setStatus(StatusCode.ERROR, String.valueOf(e.getMessage()));
            throw e;
        } finally {
            span.end();
        }
    }
}
