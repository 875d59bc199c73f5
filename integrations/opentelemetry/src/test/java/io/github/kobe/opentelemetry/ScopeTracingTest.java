package io.github.kobe.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.scope.FailurePolicy;
import io.github.kobe.scope.ScheduledTask;
import io.github.kobe.scope.Task;
import io.github.kobe.scope.TaskInfo;
import io.github.kobe.scope.ThreadHook;
import io.github.kobe.scope.ThreadScope;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Does each task of a traced scope have one span, whether it runs in a group or not? */
class ScopeTracingTest {

    private final Traces traces = new Traces();
    private final TracingListener tracing = TracingListener.builder(traces.openTelemetry())
            .executorName("orders")
            .build();

    @AfterEach
    void nothingIsLeft() throws Exception {
        assertThat(tracing.openSpans()).isZero();
        traces.close();
    }

    private ThreadScope open() {
        return tracing.trace(ThreadScope.open()).withFailurePolicy(FailurePolicy.SUPERVISOR);
    }

    private static String attribute(SpanData span, String name) {
        return span.getAttributes().get(AttributeKey.stringKey(name));
    }

    private static List<String> eventNames(SpanData span) {
        return span.getEvents().stream().map(EventData::getName).toList();
    }

    @Test
    void taskHasAChildSpanThatIsCurrent() throws Exception {
        AtomicReference<String> seen = new AtomicReference<>();
        AtomicReference<String> scopeId = new AtomicReference<>();
        String submitter = traces.inSpan("request", () -> {
            try (ThreadScope scope = open()) {
                scopeId.set(scope.id());
                return scope.await(scope.submit("load", () -> seen.set(Traces.currentSpanId())));
            }
        });
        SpanData span = traces.onlyTask();
        assertThat(span.getName()).isEqualTo("task");
        assertThat(span.getParentSpanId()).isEqualTo(submitter);
        assertThat(seen).hasValue(span.getSpanId());
        assertThat(eventNames(span)).containsExactly("started");
        assertThat(attribute(span, "group_concurrency.scope.id")).isEqualTo(scopeId.get());
        assertThat(attribute(span, "group_concurrency.task.id")).isEqualTo("load");
        assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo("success");
    }

    @Test
    void noSpanWithoutAParent() {
        try (ThreadScope scope = open()) {
            scope.await(scope.submit("load", () -> 1));
        }
        assertThat(traces.all()).isEmpty();
    }

    @Test
    void outcomesOfAllKinds() throws Exception {
        traces.inSpan("request", () -> {
            CountDownLatch started = new CountDownLatch(1);
            try (ThreadScope scope = open()) {
                Task<?> failed = scope.submit("failure", () -> fail("no stock"));
                Task<?> timedOut = scope.submit("timeout", Traces.hangs(), Duration.ofMillis(1));
                Task<?> cancelled = scope.submit("cancelled", () -> {
                    started.countDown();
                    return Traces.hangs().call();
                });
                started.await();
                cancelled.cancel();
                return scope.await(failed, timedOut, cancelled);
            }
        });
        assertThat(traces.ofTasks())
                .hasSize(3)
                .allSatisfy(span -> assertThat(attribute(span, "group_concurrency.outcome"))
                        .isEqualTo(attribute(span, "group_concurrency.task.id")));
    }

    private static int fail(String message) {
        throw new IllegalStateException(message);
    }

    @Test
    void taskThatNeverStartedHasASpan() throws Exception {
        traces.inSpan("request", () -> {
            CountDownLatch done = new CountDownLatch(1);
            try (ThreadScope scope = open().withConcurrencyLimit(1).withQueueing(true)) {
                Task<?> first = scope.submit("first", Traces.awaits(done));
                Task<?> queued = scope.submit("queued", () -> 1);
                queued.cancel();
                done.countDown();
                return scope.await(first, queued);
            }
        });
        assertThat(traces.ofTasks()).hasSize(2);
        SpanData queued = traces.ofTasks().stream()
                .filter(span -> "queued".equals(attribute(span, "group_concurrency.task.id")))
                .findFirst()
                .orElseThrow();
        assertThat(attribute(queued, "group_concurrency.outcome")).isEqualTo("cancelled");
        assertThat(queued.getEvents()).isEmpty();
    }

    private static Callable<Integer> succeedsAtThirdAttempt(List<String> spans) {
        AtomicInteger attempts = new AtomicInteger();
        return () -> {
            spans.add(Traces.currentSpanId());
            return attempts.incrementAndGet() < 3 ? fail("attempt " + attempts) : attempts.get();
        };
    }

    @Test
    void eachAttemptHasTheTasksSpan() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        traces.inSpan("request", () -> {
            try (ThreadScope scope = open().withRetryPolicy(RetryPolicy.attempts(3))) {
                return scope.await(scope.submit("load", succeedsAtThirdAttempt(seen)));
            }
        });
        String span = traces.onlyTask().getSpanId();
        assertThat(seen).containsExactly(span, span, span);
        assertThat(eventNames(traces.onlyTask())).containsExactly("started", "retry", "retry");
    }

    @Test
    void eachRunOfAScheduleIsAChildOfTheSpanThatScheduledIt() throws Exception {
        CountDownLatch runs = new CountDownLatch(3);
        String submitter = traces.inSpan("request", () -> {
            try (ThreadScope scope = open()) {
                ScheduledTask schedule =
                        scope.scheduleAtFixedRate(Duration.ZERO, Duration.ofNanos(1), () -> runs.countDown());
                runs.await();
                return schedule.cancel();
            }
        });
        assertThat(traces.ofTasks())
                .hasSizeGreaterThanOrEqualTo(3)
                .allSatisfy(span -> assertThat(span.getParentSpanId()).isEqualTo(submitter));
        assertThat(traces.ofTasks()).extracting(SpanData::getSpanId).doesNotHaveDuplicates();
    }

    @Test
    void nestedScopesMakeATree() throws Exception {
        traces.inSpan("request", () -> {
            try (ThreadScope outer = open()) {
                return outer.await(outer.submit("outer", () -> {
                    try (ThreadScope inner = open()) {
                        return inner.await(inner.submit("inner", () -> 1));
                    }
                }));
            }
        });
        assertThat(traces.ofTasks()).hasSize(2);
        SpanData inner = traces.ofTasks().getFirst();
        SpanData outer = traces.ofTasks().getLast();
        assertThat(attribute(inner, "group_concurrency.task.id")).isEqualTo("inner");
        assertThat(inner.getParentSpanId()).isEqualTo(outer.getSpanId());
    }

    @Test
    void taskThatIsOvertakenByABlockedHookHasOneSpan() throws Exception {
        CountDownLatch completed = new CountDownLatch(1);
        AtomicReference<Thread> overtaken = new AtomicReference<>();
        ThreadHook blocked = new ThreadHook() {
            @Override
            public void onStart(TaskInfo info) {
                overtaken.set(Thread.currentThread());
                try {
                    completed.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        AtomicInteger laterHookCalls = new AtomicInteger();
        ThreadHook later = new ThreadHook() {
            @Override
            public void onStart(TaskInfo info) {
                laterHookCalls.incrementAndGet();
            }
        };
        traces.inSpan("request", () -> {
            try (ThreadScope scope =
                    tracing.trace(ThreadScope.open().withHook(blocked)).withHook(later)) {
                int value = scope.submit("load", () -> 1).await();
                completed.countDown();
                return value;
            }
        });
        // Its thread restores the context after its last hook has returned, so only its termination says that nothing
        // is left.
        overtaken.get().join();
        assertThat(laterHookCalls).hasValue(1);
        assertThat(attribute(traces.onlyTask(), "group_concurrency.outcome")).isEqualTo("success");
    }

    // ---- scopes in groups ----------------------------------------------------------------------------------------

    private GroupPolicy.Builder tracedGroups() {
        return GroupPolicy.builder()
                .taskLifecycleListener(tracing)
                .contextCarrier(tracing.carrier())
                .closeTimeout(Duration.ofMinutes(1));
    }

    @Test
    void taskInATracedGroupHasOneSpan() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        String submitter;
        try (GroupExecutor groups =
                GroupExecutor.newVirtualThreadExecutor(tracedGroups().build())) {
            submitter = traces.inSpan("request", () -> {
                try (ThreadScope scope = open().withGroups(groups).withRetryPolicy(RetryPolicy.attempts(3))) {
                    return scope.await(scope.submitTo("tenant-1", "load", succeedsAtThirdAttempt(seen)));
                }
            });
        }
        SpanData span = traces.onlyTask();
        assertThat(span.getParentSpanId()).isEqualTo(submitter);
        assertThat(seen).containsExactly(span.getSpanId(), span.getSpanId(), span.getSpanId());
        assertThat(attribute(span, "group_concurrency.group")).isEqualTo("tenant-1");
        assertThat(attribute(span, "group_concurrency.executor.name")).isEqualTo("orders");
        assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo("success");
    }

    @Test
    void manyTasksInATracedGroupHaveOneSpanEach() throws Exception {
        Set<String> seen = ConcurrentHashMap.newKeySet();
        try (GroupExecutor groups = GroupExecutor.newVirtualThreadExecutor(
                tracedGroups().defaultMaxConcurrencyPerGroup(2).build())) {
            traces.inSpan("request", () -> {
                try (ThreadScope scope = open().withGroups(groups).withConcurrencyLimit(8)) {
                    List<Task<?>> tasks = new ArrayList<>();
                    for (int i = 0; i < 200; i++) {
                        tasks.add(scope.submitTo("g" + i % 3, () -> seen.add(Traces.currentSpanId())));
                    }
                    return scope.await(tasks);
                }
            });
        }
        assertThat(traces.ofTasks()).hasSize(200);
        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(
                        traces.ofTasks().stream().map(SpanData::getSpanId).toList());
    }

    @Test
    void taskThatItsGroupRejectsHasOneSpan() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        try (GroupExecutor groups = GroupExecutor.newVirtualThreadExecutor(tracedGroups()
                .defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.ABORT)
                .build())) {
            TaskHandle<?> first = groups.submit("g", Traces.awaits(done));
            traces.inSpan("request", () -> {
                try (ThreadScope scope = open().withGroups(groups)) {
                    return scope.await(scope.submitTo("g", "load", () -> 1));
                }
            });
            done.countDown();
            first.await();
        }
        SpanData span = traces.onlyTask();
        assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo("rejected");
        assertThat(attribute(span, "group_concurrency.rejection.reason")).isEqualTo("group_queue_full");
        assertThat(attribute(span, "group_concurrency.group")).isEqualTo("g");
    }

    @Test
    void groupTracesTasksOfAScopeThatIsNotTraced() throws Exception {
        try (GroupExecutor groups =
                GroupExecutor.newVirtualThreadExecutor(tracedGroups().build())) {
            traces.inSpan("request", () -> {
                try (ThreadScope outer = open()) {
                    return outer.await(outer.submit("outer", () -> {
                        try (ThreadScope inner = ThreadScope.open().withGroups(groups)) {
                            return inner.await(inner.submitTo("g", "inner", () -> 1));
                        }
                    }));
                }
            });
        }
        assertThat(traces.ofTasks())
                .extracting(span -> attribute(span, "group_concurrency.task.id"))
                .containsExactly("inner", "outer");
        assertThat(traces.ofTasks().getFirst().getParentSpanId())
                .isEqualTo(traces.ofTasks().getLast().getSpanId());
    }

    @Test
    void taskThatATaskOfATracedScopeSubmitsHasItsOwnSpan() throws Exception {
        try (GroupExecutor groups =
                GroupExecutor.newVirtualThreadExecutor(tracedGroups().build())) {
            traces.inSpan("request", () -> {
                try (ThreadScope scope = open().withGroups(groups)) {
                    return scope.await(scope.submitTo(
                            "g",
                            "outer",
                            () -> groups.submit("h", "inner", () -> 1).await()));
                }
            });
        }
        assertThat(traces.ofTasks())
                .extracting(span -> attribute(span, "group_concurrency.task.id"))
                .containsExactly("inner", "outer");
    }
}
