package io.github.kobe.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.ThreadKind;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.scope.ThreadScope;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Do log lines of tasks and of their callbacks have the MDC of the submitter, with either carrier? */
@Timeout(120)
class MdcTest {

    static Stream<ContextCarrier> carriers() {
        ContextRegistry registry = new ContextRegistry();
        registry.registerThreadLocalAccessor(new Slf4jThreadLocalAccessor());
        return Stream.of(
                MdcCarrier.create(),
                ContextSnapshotCarrier.of(ContextSnapshotFactory.builder()
                        .contextRegistry(registry)
                        .clearMissing(true)
                        .build()));
    }

    private final Logger logger = (Logger) LoggerFactory.getLogger("tasks");
    private final Queue<ILoggingEvent> logged = new ConcurrentLinkedQueue<>();
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>() {
        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing(); // the MDC of the thread that logs
            logged.add(event);
        }
    };

    @BeforeEach
    void collectLogLines() {
        appender.start();
        logger.addAppender(appender);
    }

    @AfterEach
    void clear() {
        logger.detachAppender(appender);
        MDC.clear();
    }

    private static GroupExecutor executor(UnaryOperator<GroupPolicy.Builder> settings) {
        return GroupExecutor.newVirtualThreadExecutor(
                settings.apply(GroupPolicy.builder()).build());
    }

    private static Map<String, String> mdc() {
        Map<String, String> values = MDC.getCopyOfContextMap();
        return values == null ? Map.of() : values;
    }

    /** What was logged, as "message request". */
    private List<String> lines() {
        return logged.stream()
                .map(event -> event.getFormattedMessage() + " "
                        + event.getMDCPropertyMap().get("request"))
                .toList();
    }

    private static CountDownLatch blocker(GroupExecutor executor, String group) throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        executor.submit(group, "blocker", () -> {
            started.countDown();
            released.await();
            return true;
        });
        assertThat(started.await(1, TimeUnit.MINUTES)).isTrue();
        return released;
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void nothingIsCapturedIfTheMdcIsEmpty(ContextCarrier carrier) {
        assertThat(carrier.capture()).isNull();
        MDC.put("request", "r1");
        assertThat(carrier.capture()).isNotNull();
        MDC.clear();
        assertThat(carrier.capture()).isNull();
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void capturedValuesDoNotChange(ContextCarrier carrier) {
        MDC.put("request", "r1");
        MDC.put("step", "one");
        ContextCarrier.Captured first = carrier.capture();
        MDC.put("request", "r2");
        ContextCarrier.Captured second = carrier.capture();
        MDC.remove("step");
        ContextCarrier.Captured third = carrier.capture();
        MDC.clear();
        List<Map<String, String>> seen = new ArrayList<>();
        for (ContextCarrier.Captured captured : List.of(first, second, third)) {
            captured.run(() -> {
                seen.add(mdc());
                MDC.put("request", "changed inside");
            });
            captured.run(() -> seen.add(mdc()));
        }
        Map<String, String> one = Map.of("request", "r1", "step", "one");
        Map<String, String> two = Map.of("request", "r2", "step", "one");
        Map<String, String> three = Map.of("request", "r2");
        assertThat(seen).containsExactly(one, one, two, two, three, three);
    }

    @Test
    void logbackIsNotNeeded() throws Exception {
        URL[] urls = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("logback"))
                .map(entry -> assertDoesNotThrow(() -> Path.of(entry).toUri().toURL()))
                .toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            Class<?> type = loader.loadClass(MdcCarrier.class.getName());
            assertThat(type).isNotEqualTo(MdcCarrier.class);
            Object carrier = type.getMethod("create").invoke(null);
            assertThat(type.getMethod("capture").invoke(carrier))
                    .as("SLF4J without a logging library has an empty MDC")
                    .isNull();
        }
    }

    @Test
    void nothingIsCapturedIfTheLastValueWasRemoved() {
        MDC.put("request", "r1");
        MDC.remove("request");
        assertThat(MdcCarrier.create().capture()).isNull();
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void contextIsReplacedAndRestored(ContextCarrier carrier) {
        MDC.put("request", "r1");
        ContextCarrier.Captured captured = carrier.capture();
        assertThat(captured).isNotNull();
        MDC.clear();
        MDC.put("other", "of the thread");
        captured.run(() -> {
            assertThat(mdc()).isEqualTo(Map.of("request", "r1"));
            MDC.put("own", "of the task");
        });
        assertThat(mdc()).isEqualTo(Map.of("other", "of the thread"));
        MDC.clear();
        captured.run(() -> MDC.put("own", "of the task"));
        assertThat(mdc()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void linesOfAQueuedTaskAndOfItsThirdAttemptHaveTheMdc(ContextCarrier carrier) throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        TaskOptions options = TaskOptions.builder()
                .retry(RetryPolicy.attempts(3))
                .log(logger::warn)
                .recovery(error -> logger.warn("recovery"))
                .build();
        try (GroupExecutor executor = executor(b -> b.contextCarrier(carrier))) {
            CountDownLatch released = blocker(executor, "g");
            MDC.put("request", "r1");
            Callable<String> task = () -> {
                int attempt = attempts.incrementAndGet();
                logger.warn("attempt {}", attempt);
                if (attempt < 3) {
                    throw new IllegalStateException("not yet");
                }
                return "done";
            };
            TaskHandle<String> handle = executor.submit("g", "t", task, options);
            MDC.put("request", "r2");
            released.countDown();
            assertThat(handle.get()).isEqualTo("done");
        }
        assertThat(lines())
                .contains("attempt 1 r1", "attempt 2 r1", "attempt 3 r1", "recovery r1")
                .hasSizeGreaterThan(8)
                .allMatch(line -> line.endsWith(" r1"));
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void mdcGoesThroughExecutorServicesAndCompletableFutures(ContextCarrier carrier) throws Exception {
        try (GroupExecutor executor = executor(b -> b.contextCarrier(carrier))) {
            ExecutorService view = executor.asExecutorService("g");
            MDC.put("request", "r1");
            assertThat(view.submit(() -> MDC.get("request")).get()).isEqualTo("r1");
            CompletableFuture<String> chain = CompletableFuture.supplyAsync(() -> MDC.get("request"), view)
                    .thenApplyAsync(first -> first + MDC.get("request"), view)
                    .thenCombineAsync(
                            CompletableFuture.supplyAsync(() -> MDC.get("request"), view),
                            (one, other) -> one + other + MDC.get("request"),
                            view);
            MDC.put("request", "r2");
            assertThat(chain.get()).isEqualTo("r1r1r1r1");
        }
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void rejectionHandlersAndFallbacksHaveTheMdc(ContextCarrier carrier) throws Exception {
        RejectionHandler handler = new RejectionHandler() {
            @Override
            public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
                logger.warn("handler");
                return GroupResult.rejected(groupKey, taskId);
            }
        };
        try (GroupExecutor executor = executor(
                b -> b.contextCarrier(carrier).defaultQueueThresholdPerGroup(0).rejectionHandler(handler))) {
            blocker(executor, "g");
            MDC.put("request", "r1");
            executor.submit("g", "t", () -> "never runs").await();
        }
        CountDownLatch called = new CountDownLatch(1);
        try (IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                .maxConcurrency(1)
                .queueCapacity(0)
                .contextCarrier(carrier)
                .build())) {
            CountDownLatch started = new CountDownLatch(1);
            executor.submit("key", () -> {
                started.countDown();
                new CountDownLatch(1).await();
                return true;
            });
            assertThat(started.await(1, TimeUnit.MINUTES)).isTrue();
            MDC.put("request", "r2");
            executor.execute("key", () -> {}, (key, reason) -> {
                logger.warn("fallback");
                called.countDown();
            });
            assertThat(called.await(1, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(lines()).containsExactly("handler r1", "fallback r2");
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void submitterThatRunsTheTaskKeepsItsMdc(ContextCarrier carrier) throws Exception {
        try (GroupExecutor executor = executor(b -> b.contextCarrier(carrier)
                .defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.CALLER_RUNS))) {
            blocker(executor, "g");
            MDC.put("request", "r1");
            executor.submit("g", "t", () -> {
                        MDC.put("request", "changed by the task");
                        return true;
                    })
                    .get();
            assertThat(MDC.get("request")).isEqualTo("changed by the task");
        }
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void tenThousandTasksLeaveNothingOnTheWorkers(ContextCarrier carrier) throws Exception {
        List<TaskHandle<String>> handles = new ArrayList<>();
        try (WorkerPool pool = WorkerPool.builder()
                .minWorkers(4)
                .threads(ThreadKind.PLATFORM)
                .contextCarrier(carrier)
                .build()) {
            for (int i = 0; i < 10_000; i++) {
                MDC.clear();
                if (i % 3 > 0) {
                    MDC.put("request", "r" + i);
                }
                int task = i;
                handles.add(pool.submit(() -> {
                    String seen = mdc().toString();
                    MDC.put("leak", "of task " + task);
                    MDC.put("request", "changed by the task");
                    return seen;
                }));
            }
            for (int i = 0; i < handles.size(); i++) {
                assertThat(handles.get(i).get()).isEqualTo(i % 3 > 0 ? "{request=r" + i + "}" : "{}");
            }
            MDC.clear();
            List<TaskHandle<Map<String, String>>> after = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                after.add(pool.submit(() -> mdc()));
            }
            for (TaskHandle<Map<String, String>> handle : after) {
                assertThat(handle.get()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void nestedScopesHandTheMdcDown(ContextCarrier carrier) {
        try (GroupExecutor groups = executor(b -> b.contextCarrier(carrier).defaultMaxConcurrencyPerGroup(2));
                ThreadScope scope = ThreadScope.open().withGroups(groups).withContextCarrier(carrier)) {
            MDC.put("request", "r1");
            var outer = scope.submitTo("g", () -> {
                MDC.put("step", "outer");
                try (ThreadScope inner = ThreadScope.open().withGroups(groups).withContextCarrier(carrier)) {
                    var plain = inner.submit(MdcTest::mdc);
                    var grouped = inner.submitTo("g", MdcTest::mdc);
                    return List.of(plain.await(), grouped.await(), mdc());
                }
            });
            MDC.put("request", "r2");
            assertThat(outer.await()).containsOnly(Map.of("request", "r1", "step", "outer"));
            assertThat(mdc()).isEqualTo(Map.of("request", "r2"));
        }
    }
}
