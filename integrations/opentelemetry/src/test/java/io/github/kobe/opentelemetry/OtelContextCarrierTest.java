package io.github.kobe.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.scope.ThreadScope;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.context.Scope;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Does a task have the OpenTelemetry context of its submitter? */
class OtelContextCarrierTest {

    private final Traces traces = new Traces();

    @AfterEach
    void nothingIsLeft() throws Exception {
        traces.close();
    }

    private static GroupExecutor executor() {
        return GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .contextCarrier(OtelContextCarrier.create())
                .closeTimeout(Duration.ofMinutes(1))
                .build());
    }

    @Test
    void noContextIsCapturedWhereNoneIsSet() {
        assertThat(OtelContextCarrier.create().capture()).isNull();
    }

    @Test
    void spanAndBaggageReachTheTask() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        String span;
        try (GroupExecutor executor = executor()) {
            span = traces.inSpan("request", () -> {
                try (Scope ignored =
                        Baggage.builder().put("tenant", "a").build().makeCurrent()) {
                    return executor.submit("g", () -> {
                                seen.add(Traces.currentSpanId());
                                seen.add(String.valueOf(Baggage.current().getEntryValue("tenant")));
                            })
                            .await();
                }
            });
        }
        assertThat(seen).containsExactly(span, "a");
        assertThat(traces.ofTasks()).as("a carrier makes no spans").isEmpty();
    }

    @Test
    void spanReachesTasksOfAViewAndOfACompletableFuture() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        String span;
        try (GroupExecutor executor = executor()) {
            span = traces.inSpan("request", () -> {
                executor.asExecutorService("g")
                        .submit(() -> seen.add(Traces.currentSpanId()))
                        .get();
                return CompletableFuture.runAsync(
                                () -> seen.add(Traces.currentSpanId()), executor.asExecutorService("g"))
                        .get();
            });
        }
        assertThat(seen).containsExactly(span, span);
    }

    @Test
    void spanReachesTasksOfAScope() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        String span = traces.inSpan("request", () -> {
            try (ThreadScope scope = ThreadScope.open().withContextCarrier(OtelContextCarrier.create())) {
                return scope.submit(() -> seen.add(Traces.currentSpanId())).await();
            }
        });
        assertThat(seen).containsExactly(span);
    }
}
