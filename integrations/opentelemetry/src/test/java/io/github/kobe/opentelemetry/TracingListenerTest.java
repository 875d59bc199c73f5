package io.github.kobe.opentelemetry;

import static io.opentelemetry.api.common.AttributeKey.doubleKey;
import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RejectionReason;
import io.github.kobe.RetryPolicy;
import io.github.kobe.SharedLimit;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.InMemoryStore;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Does each task have the right span, and is it current where the task runs? */
class TracingListenerTest {

    private final Traces traces = new Traces();
    private final TracingListener tracing = TracingListener.builder(traces.openTelemetry())
            .executorName("orders")
            .build();

    @AfterEach
    void nothingIsLeft() throws Exception {
        assertThat(tracing.openSpans()).isZero();
        traces.close();
    }

    /** A close waits until no task is on a thread: only then must all contexts be restored. */
    private GroupPolicy.Builder policy() {
        return GroupPolicy.builder()
                .taskLifecycleListener(tracing)
                .contextCarrier(tracing.carrier())
                .closeTimeout(Duration.ofMinutes(1));
    }

    private GroupExecutor executor() {
        return GroupExecutor.newVirtualThreadExecutor(policy().build());
    }

    private static TaskOptions tagged(String tag) {
        return TaskOptions.builder().tag(tag).build();
    }

    private static List<String> eventNames(SpanData span) {
        return span.getEvents().stream().map(EventData::getName).toList();
    }

    private static String attribute(SpanData span, String name) {
        return span.getAttributes().get(stringKey(name));
    }

    // ---- the span ------------------------------------------------------------------------------------------------

    @Test
    void spanIsAChildOfTheSubmittersSpan() throws Exception {
        String submitter;
        try (GroupExecutor executor = executor()) {
            submitter = traces.inSpan(
                    "request",
                    () -> executor.submit("tenant-1", "order-7", () -> 1, tagged("charge"))
                            .await());
        }
        SpanData span = traces.onlyTask();
        assertThat(span.getParentSpanId()).isEqualTo(submitter);
        assertThat(span.getName()).isEqualTo("task charge");
        assertThat(span.getKind()).isEqualTo(SpanKind.INTERNAL);
        assertThat(span.getLinks()).isEmpty();
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(eventNames(span)).containsExactly("started");
        assertThat(attribute(span, "group_concurrency.executor.name")).isEqualTo("orders");
        assertThat(attribute(span, "group_concurrency.group")).isEqualTo("tenant-1");
        assertThat(attribute(span, "group_concurrency.task.id")).isEqualTo("order-7");
        assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo("success");
        assertThat(span.getAttributes().get(longKey("group_concurrency.attempts")))
                .isEqualTo(1);
        assertThat(span.getAttributes().get(doubleKey("group_concurrency.wait_time")))
                .isNotNegative();
        assertThat(attribute(span, "error.type")).isNull();
    }

    @Test
    void blankNameOfTheExecutorIsRefused() {
        assertThatThrownBy(() -> TracingListener.builder(traces.openTelemetry()).executorName(" "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("executorName must not be blank, but is ' '");
    }

    @Test
    void nameHasNeitherKeyNorId() throws Exception {
        try (GroupExecutor executor = executor()) {
            traces.inSpan(
                    "request",
                    () -> executor.submit("tenant-1", "order-7", () -> 1).await());
        }
        assertThat(traces.onlyTask().getName()).isEqualTo("task");
    }

    @Test
    void linkedSpanBeginsATraceOfItsOwn() throws Exception {
        TracingListener linking = TracingListener.builder(traces.openTelemetry())
                .relation(SpanRelation.LINK)
                .build();
        AtomicReference<String> seen = new AtomicReference<>();
        String submitter;
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder()
                .taskLifecycleListener(linking)
                .contextCarrier(linking.carrier())
                .build())) {
            submitter = traces.inSpan(
                    "request",
                    () -> executor.submit("g", () -> seen.set(Traces.currentSpanId()))
                            .await());
        }
        SpanData span = traces.onlyTask();
        assertThat(span.getParentSpanContext().isValid()).isFalse();
        assertThat(span.getLinks())
                .singleElement()
                .satisfies(link -> assertThat(link.getSpanContext().getSpanId()).isEqualTo(submitter));
        assertThat(traces.all()).extracting(SpanData::getTraceId).doesNotHaveDuplicates();
        assertThat(seen).hasValue(span.getSpanId());
    }

    @Test
    void taskWithoutAParentHasNoSpan() throws Exception {
        AtomicReference<Boolean> inSpan = new AtomicReference<>();
        try (GroupExecutor executor = executor()) {
            executor.submit("g", () -> inSpan.set(Traces.isInSpan())).await();
        }
        assertThat(traces.all()).isEmpty();
        assertThat(inSpan).hasValue(false);
    }

    @Test
    void taskWithoutAParentHasARootSpanIfAskedFor() throws Exception {
        for (SpanRelation relation : SpanRelation.values()) {
            TracingListener always = TracingListener.builder(traces.openTelemetry())
                    .rootSpans(true)
                    .relation(relation)
                    .build();
            try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(
                    GroupPolicy.builder().taskLifecycleListener(always).build())) {
                executor.submit("g", () -> 1).await();
            }
        }
        assertThat(traces.ofTasks()).hasSize(2).allSatisfy(span -> {
            assertThat(span.getParentSpanContext().isValid()).isFalse();
            assertThat(span.getLinks()).isEmpty();
        });
    }

    @Test
    void nestedTasksMakeATree() throws Exception {
        try (GroupExecutor executor = executor()) {
            traces.inSpan(
                    "request",
                    () -> executor.submit(
                                    "outer",
                                    "outer",
                                    () -> executor.submit("inner", "inner", () -> 1, tagged("inner"))
                                            .await(),
                                    tagged("outer"))
                            .await());
        }
        SpanData inner = spanNamed("task inner");
        SpanData outer = spanNamed("task outer");
        assertThat(inner.getParentSpanId()).isEqualTo(outer.getSpanId());
        assertThat(outer.getParentSpanId()).isEqualTo(spanNamed("request").getSpanId());
    }

    private SpanData spanNamed(String name) {
        return traces.all().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    // ---- outcomes ------------------------------------------------------------------------------------------------

    @Test
    void failureIsAnError() throws Exception {
        try (GroupExecutor executor = executor()) {
            traces.inSpan(
                    "request",
                    () -> executor.submit("g", fails(new IllegalStateException("no stock")))
                            .await());
        }
        SpanData span = traces.onlyTask();
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(span.getStatus().getDescription()).isEqualTo("no stock");
        assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo("failure");
        assertThat(attribute(span, "error.type")).isEqualTo("java.lang.IllegalStateException");
        assertThat(eventNames(span)).containsExactly("started", "exception");
    }

    /** The task ran: it was not rejected itself. */
    @Test
    void rejectionOfAnotherTaskIsAFailure() throws Exception {
        RejectedTaskException ofAnother = new RejectedTaskException(
                "other", "other", new Rejection(RejectionReason.GROUP_QUEUE_FULL, 1, 0, 1, 0, Duration.ofSeconds(9)));
        try (GroupExecutor executor = executor()) {
            traces.inSpan(
                    "request", () -> executor.submit("g", fails(ofAnother)).await());
        }
        SpanData span = traces.onlyTask();
        assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo("failure");
        assertThat(attribute(span, "group_concurrency.rejection.reason")).isNull();
        assertThat(attribute(span, "error.type")).isEqualTo(RejectedTaskException.class.getName());
    }

    private static Callable<Object> fails(RuntimeException exception) {
        return () -> {
            throw exception;
        };
    }

    @Test
    void timeoutIsAnError() throws Exception {
        TaskOptions options =
                TaskOptions.builder().timeout(Duration.ofMillis(1)).build();
        try (GroupExecutor executor = executor()) {
            traces.inSpan(
                    "request",
                    () -> executor.submit("g", Traces.hangs(), options).await());
        }
        SpanData span = traces.onlyTask();
        assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo("timeout");
        assertThat(attribute(span, "error.type")).isEqualTo("io.github.kobe.TaskTimeoutException");
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    }

    @Test
    void cancellationIsNoError() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        try (GroupExecutor executor = executor()) {
            traces.inSpan("request", () -> {
                TaskHandle<?> handle = executor.submit("g", () -> {
                    started.countDown();
                    return Traces.hangs().call();
                });
                started.await();
                handle.cancel(true);
                return handle.await();
            });
        }
        SpanData span = traces.onlyTask();
        assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo("cancelled");
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(attribute(span, "error.type")).isNull();
    }

    @Test
    void taskCancelledWhileQueuedWasNeverStarted() throws Exception {
        try (GroupExecutor executor = executor()) {
            executor.pauseGroup("g");
            traces.inSpan("request", () -> {
                TaskHandle<?> handle = executor.submit("g", () -> 1);
                handle.cancel(true);
                return handle.await();
            });
        }
        SpanData span = traces.onlyTask();
        assertThat(eventNames(span)).isEmpty();
        assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo("cancelled");
        assertThat(span.getAttributes().get(longKey("group_concurrency.attempts")))
                .isZero();
    }

    @Test
    void rejectionHasItsReason() throws Exception {
        GroupPolicy policy = policy().defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .build();
        CountDownLatch done = new CountDownLatch(1);
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            TaskHandle<?> first = executor.submit("g", Traces.awaits(done));
            traces.inSpan("request", () -> executor.submit("g", () -> 1).await());
            done.countDown();
            first.await();
        }
        SpanData span = traces.onlyTask();
        assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo("rejected");
        assertThat(attribute(span, "group_concurrency.rejection.reason")).isEqualTo("group_queue_full");
        assertThat(attribute(span, "group_concurrency.rejection.limited_by")).isEqualTo("group_concurrency");
        assertThat(attribute(span, "error.type")).isEqualTo("io.github.kobe.RejectedTaskException");
        assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(span.getStatus().getDescription()).contains("limit 1");
        assertThat(eventNames(span)).isEmpty();
    }

    @Test
    void rejectionByASharedLimitSaysWhichOne() throws Exception {
        GroupPolicy policy = policy().defaultMaxConcurrencyPerGroup(2)
                .sharedLimit(
                        SharedLimit.by("tenant", key -> key.substring(0, 1)).max(1))
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .build();
        CountDownLatch done = new CountDownLatch(1);
        TaskOptions impatient =
                TaskOptions.builder().maxQueueTime(Duration.ofMillis(1)).build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            TaskHandle<?> first = executor.submit("a1", Traces.awaits(done));
            traces.inSpan(
                    "request", () -> executor.submit("a2", () -> 1, impatient).await());
            done.countDown();
            first.await();
        }
        SpanData span = traces.onlyTask();
        assertThat(attribute(span, "group_concurrency.rejection.reason")).isEqualTo("expired");
        assertThat(attribute(span, "group_concurrency.rejection.limited_by")).isEqualTo("shared");
        assertThat(attribute(span, "group_concurrency.rejection.shared_limit")).isEqualTo("tenant 'a'");
    }

    /** The store may have lost its data, and grants nothing for a TTL. */
    @Test
    void rejectionForWantOfAPermitOfTheFleetSaysSo() throws Exception {
        try (Fleet fleet = Fleet.builder("orders", new InMemoryStore())
                        .ttl(Duration.ofHours(1))
                        .join();
                GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy().fleet(fleet)
                        .defaultQueueThresholdPerGroup(0)
                        .rejectionPolicy(RejectionPolicy.DISCARD)
                        .build())) {
            traces.inSpan("request", () -> executor.submit("g", () -> 1).await());
        }
        assertThat(attribute(traces.onlyTask(), "group_concurrency.rejection.limited_by"))
                .isEqualTo("lease");
    }

    @Test
    void shutdownEndsTheSpansOfAllTasks() throws Exception {
        GroupExecutor executor = executor();
        CountDownLatch started = new CountDownLatch(1);
        executor.pauseGroup("queued");
        traces.inSpan("request", () -> {
            executor.submit("running", () -> {
                started.countDown();
                return Traces.hangs().call();
            });
            executor.submit("queued", () -> 1);
            started.await();
            return true;
        });
        executor.shutdown();
        assertThat(executor.shutdown(Duration.ofMinutes(1)))
                .as("all threads are free")
                .isTrue();
        assertThat(traces.ofTasks())
                .hasSize(2)
                .allSatisfy(span ->
                        assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo("cancelled"));
    }

    @Test
    void submissionAfterShutdownLeavesNoSpan() throws Exception {
        GroupExecutor executor = executor();
        executor.shutdown();
        traces.inSpan("request", () -> {
            assertThatThrownBy(() -> executor.submit("g", () -> 1)).isInstanceOf(ExecutorShutdownException.class);
            return true;
        });
        assertThat(traces.ofTasks()).isEmpty();
    }

    // ---- the current span ----------------------------------------------------------------------------------------

    @Test
    void eachAttemptHasTheTasksSpan() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        TaskOptions options =
                TaskOptions.builder().retry(RetryPolicy.attempts(3)).build();
        try (GroupExecutor executor = executor()) {
            traces.inSpan(
                    "request",
                    () -> executor.submit("g", failsTwice(seen), options).await());
        }
        SpanData span = traces.onlyTask();
        assertThat(seen).containsExactly(span.getSpanId(), span.getSpanId(), span.getSpanId());
        assertThat(eventNames(span)).containsExactly("started", "retry", "retry");
        assertThat(span.getEvents().get(2).getAttributes().asMap())
                .containsEntry(longKey("group_concurrency.attempts"), 2L)
                .containsEntry(stringKey("error.type"), "java.lang.IllegalStateException")
                .containsEntry(doubleKey("group_concurrency.retry.delay"), 0.0);
        assertThat(span.getAttributes().get(longKey("group_concurrency.attempts")))
                .isEqualTo(3);
        assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo("success");
    }

    private static Callable<Integer> failsTwice(List<String> spans) {
        AtomicInteger attempts = new AtomicInteger();
        return () -> {
            spans.add(Traces.currentSpanId());
            if (attempts.incrementAndGet() < 3) {
                throw new IllegalStateException("attempt " + attempts);
            }
            return attempts.get();
        };
    }

    @Test
    void rejectionHandlerHasTheTasksSpan() throws Exception {
        AtomicReference<String> seen = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        GroupPolicy policy = policy().defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .rejectionHandler(new RejectionHandler() {
                    @Override
                    public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                        seen.set(Traces.currentSpanId());
                        return new GroupResult<>(groupKey, taskId, TaskStatus.SUCCESS, null, null, 0, 0);
                    }
                })
                .build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            TaskHandle<?> first = executor.submit("g", Traces.awaits(done));
            traces.inSpan("request", () -> executor.submit("g", () -> 1).await());
            done.countDown();
            first.await();
        }
        assertThat(seen).hasValue(traces.onlyTask().getSpanId());
    }

    @Test
    void callbacksOfTheTaskHaveItsSpan() throws Exception {
        Map<String, String> seen = new ConcurrentHashMap<>();
        TaskLifecycleListener other = new TaskLifecycleListener() {
            @Override
            public void onStarted(TaskIdentity task) {
                seen.put("onStarted", Traces.currentSpanId());
            }

            @Override
            public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
                seen.put("onRetry", Traces.currentSpanId());
            }

            @Override
            public void onCompleted(TaskIdentity task, GroupResult<?> result) {
                seen.put("onCompleted", Traces.currentSpanId());
            }
        };
        TaskOptions options = TaskOptions.builder()
                .retry(RetryPolicy.attempts(3))
                .before(task -> seen.put("before", Traces.currentSpanId()))
                .after((task, error) -> seen.put("after", Traces.currentSpanId()))
                .build();
        GroupPolicy policy =
                policy().taskLifecycleListener(tracing.andThen(other)).build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            traces.inSpan(
                    "request",
                    () -> executor.submit("g", failsTwice(new CopyOnWriteArrayList<>()), options)
                            .await());
        }
        assertThat(seen)
                .containsOnlyKeys("onStarted", "onRetry", "onCompleted", "before", "after")
                .allSatisfy((where, span) ->
                        assertThat(span).isEqualTo(traces.onlyTask().getSpanId()));
    }

    @Test
    void callerThatRunsTheTaskKeepsItsSpan() throws Exception {
        AtomicReference<String> seen = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        GroupPolicy policy = policy().defaultMaxConcurrencyPerGroup(1)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS)
                .build();
        String submitter;
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            TaskHandle<?> first = executor.submit("g", Traces.awaits(done));
            submitter = traces.inSpan(
                    "request",
                    () -> executor.submit("g", () -> seen.set(Traces.currentSpanId()))
                            .await());
            done.countDown();
            first.await();
        }
        assertThat(seen).hasValue(submitter);
        assertThat(traces.onlyTask().getParentSpanId()).isEqualTo(submitter);
    }
}
