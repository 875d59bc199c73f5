package io.github.kobe.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** A real SDK that keeps the spans that have ended. */
final class Traces implements AutoCloseable {

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .build();

    OpenTelemetry openTelemetry() {
        return sdk;
    }

    /** Runs {@code code} inside a new span, which ends afterwards, and returns the id of the span. */
    String inSpan(String name, Callable<?> code) throws Exception {
        Span span = sdk.getTracer("test").spanBuilder(name).startSpan();
        try (Scope ignored = span.makeCurrent()) {
            code.call();
        } finally {
            span.end();
        }
        return span.getSpanContext().getSpanId();
    }

    /** Work that returns when {@code latch} is open. */
    static Callable<Boolean> awaits(CountDownLatch latch) {
        return () -> {
            latch.await();
            return true;
        };
    }

    /** Work that returns only if it is interrupted. */
    static Callable<Boolean> hangs() {
        return awaits(new CountDownLatch(1));
    }

    static String currentSpanId() {
        return Span.current().getSpanContext().getSpanId();
    }

    static boolean isInSpan() {
        return !currentSpanId().equals(SpanId.getInvalid());
    }

    List<SpanData> all() {
        return exporter.getFinishedSpanItems();
    }

    /** The spans of tasks that have ended. */
    List<SpanData> ofTasks() {
        return all().stream()
                .filter(span -> span.getInstrumentationScopeInfo().getName().equals("io.github.kobe.opentelemetry"))
                .toList();
    }

    SpanData onlyTask() {
        assertThat(ofTasks()).hasSize(1);
        return ofTasks().getFirst();
    }

    /** Fails if a context was installed and not restored anywhere in this JVM. The build turns strict storage on. */
    @Override
    public void close() throws Exception {
        sdk.close();
        assertThat(Context.current()).isSameAs(Context.root());
        assertThat(ContextStorage.get()).as("strict storage").isInstanceOf(AutoCloseable.class);
        ((AutoCloseable) ContextStorage.get()).close();
    }
}
