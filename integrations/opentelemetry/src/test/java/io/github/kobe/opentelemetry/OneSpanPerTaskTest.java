package io.github.kobe.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTimeoutException;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Does each task have exactly one span with its outcome, whatever is cancelled, times out, is rejected or shut down at the same moment? */
class OneSpanPerTaskTest {

    private static final int SUBMITTERS = 8;
    private static final int TASKS_EACH = 500;

    private final Queue<TaskHandle<?>> handles = new ConcurrentLinkedQueue<>();

    @Test
    void underCancelTimeoutRejectionRetryAndShutdown() throws Exception {
        try (Traces traces = new Traces()) {
            TracingListener tracing = TracingListener.create(traces.openTelemetry());
            GroupPolicy policy = GroupPolicy.builder()
                    .defaultMaxConcurrencyPerGroup(2)
                    .defaultQueueThresholdPerGroup(8)
                    .rejectionPolicy(RejectionPolicy.DISCARD_OLDEST)
                    .taskLifecycleListener(tracing)
                    .contextCarrier(tracing.carrier())
                    .build();
            GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy);
            try (ExecutorService submitters = Executors.newFixedThreadPool(SUBMITTERS)) {
                List<Future<?>> all = IntStream.range(0, SUBMITTERS)
                        .<Future<?>>mapToObj(seed -> submitters.submit(() -> {
                            traces.inSpan("submitter", () -> submitAll(executor, new SplittableRandom(seed)));
                            return null;
                        }))
                        .toList();
                all.getFirst().get();
                executor.shutdown(); // while the others may still submit
                for (Future<?> submitter : all) {
                    submitter.get();
                }
            }
            assertThat(executor.shutdown(Duration.ofMinutes(1)))
                    .as("all threads are free")
                    .isTrue();
            Map<String, SpanData> spans = traces.ofTasks().stream()
                    .collect(Collectors.toMap(OneSpanPerTaskTest::taskId, Function.identity()));
            assertThat(spans).hasSizeGreaterThanOrEqualTo(handles.size());
            assertThat(handles).hasSizeGreaterThanOrEqualTo(TASKS_EACH).allSatisfy(handle -> {
                SpanData span = spans.remove(handle.taskId());
                assertThat(span).as("span of %s", handle).isNotNull();
                assertThat(attribute(span, "group_concurrency.outcome")).isEqualTo(outcome(handle));
            });
            assertThat(spans.values())
                    .as("tasks that a shutdown did not admit")
                    .allSatisfy(span -> assertThat(attribute(span, "group_concurrency.outcome"))
                            .isEqualTo("cancelled"));
            assertThat(tracing.openSpans()).isZero();
        }
    }

    private Object submitAll(GroupExecutor executor, SplittableRandom random) {
        for (int i = 0; i < TASKS_EACH; i++) {
            String id = Thread.currentThread().getName() + "/" + i;
            try {
                TaskHandle<?> handle = executor.submit("g" + random.nextInt(4), id, work(random), options(random));
                handles.add(handle);
                if (random.nextInt(4) == 0) {
                    handle.cancel(true);
                }
                if (random.nextInt(8) == 0) {
                    var unused = handle.join();
                }
            } catch (ExecutorShutdownException e) {
                break;
            }
        }
        return true;
    }

    private static Callable<Object> work(SplittableRandom random) {
        return switch (random.nextInt(3)) {
            case 0 -> () -> 1;
            case 1 ->
                () -> {
                    throw new IllegalStateException("as intended");
                };
            default ->
                () -> {
                    new Semaphore(0).tryAcquire(2, java.util.concurrent.TimeUnit.MILLISECONDS);
                    return 1;
                };
        };
    }

    private static TaskOptions options(SplittableRandom random) {
        TaskOptions.Builder builder = TaskOptions.builder();
        if (random.nextBoolean()) {
            builder.retry(RetryPolicy.attempts(3));
        }
        if (random.nextBoolean()) {
            builder.timeout(Duration.ofMillis(1));
        }
        if (random.nextInt(4) == 0) {
            builder.maxQueueTime(Duration.ofMillis(1));
        }
        return builder.build();
    }

    private static String outcome(TaskHandle<?> handle) {
        var result = handle.join();
        if (result.error() instanceof TaskTimeoutException) {
            return "timeout";
        }
        return result.status() == TaskStatus.FAILED
                ? "failure"
                : result.status().name().toLowerCase(Locale.ROOT);
    }

    private static String taskId(SpanData span) {
        return attribute(span, "group_concurrency.task.id");
    }

    private static String attribute(SpanData span, String name) {
        return String.valueOf(span.getAttributes().get(AttributeKey.stringKey(name)));
    }
}
