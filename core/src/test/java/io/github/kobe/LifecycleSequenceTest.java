package io.github.kobe;

import static io.github.kobe.TestKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Does each task have the sequence of events that the listener documents, whatever happens to it? Many threads submit tasks that succeed, fail, hang
 * and are retried, cancel them, and finally shut the executor down.
 */
@Timeout(120)
class LifecycleSequenceTest {

    private static final int THREADS = 8;
    private static final int TASKS_PER_THREAD = 150;
    private static final int GROUPS = 4;

    /** What the executors have in common. */
    interface Face {
        TaskHandle<String> submit(String groupKey, String taskId, Callable<String> task, TaskOptions options);

        void shutdown(ShutdownMode mode);
    }

    private static final class Groups implements Face {
        private final GroupExecutor executor;

        Groups(GroupPolicy policy) {
            executor = GroupExecutor.newVirtualThreadExecutor(policy);
        }

        @Override
        public TaskHandle<String> submit(String key, String taskId, Callable<String> task, TaskOptions options) {
            return executor.submit(key, taskId, task, options);
        }

        @Override
        public void shutdown(ShutdownMode mode) {
            executor.shutdown(TestKit.PATIENCE, mode);
        }
    }

    private static final class Pool implements Face {
        private final WorkerPool executor;

        Pool(TaskLifecycleListener listener, RejectionPolicy policy) {
            executor = WorkerPool.builder()
                    .maxWorkers(3)
                    .queueCapacity(20)
                    .rejectionPolicy(policy)
                    .maxBlockTime(Duration.ofMillis(1))
                    .grace(Duration.ofMillis(1))
                    .taskLifecycleListener(listener)
                    .build();
        }

        @Override
        public TaskHandle<String> submit(String key, String taskId, Callable<String> task, TaskOptions options) {
            return executor.submit(key, taskId, task, options);
        }

        @Override
        public void shutdown(ShutdownMode mode) {
            executor.shutdown(TestKit.PATIENCE, mode);
        }
    }

    private static final class Isolation implements Face {
        private final IsolationExecutor executor;

        Isolation(TaskLifecycleListener listener) {
            executor = IsolationExecutor.create(IsolationPolicy.builder()
                    .maxConcurrency(3)
                    .queueCapacity(20)
                    .taskLifecycleListener(listener)
                    .build());
        }

        @Override
        public TaskHandle<String> submit(String key, String taskId, Callable<String> task, TaskOptions options) {
            return executor.submit(key, taskId, task, options);
        }

        @Override
        public void shutdown(ShutdownMode mode) {
            executor.shutdown(TestKit.PATIENCE, mode);
        }
    }

    interface FaceFactory {
        Face create(TaskLifecycleListener listener);
    }

    static Stream<Arguments> faces() {
        Stream<Arguments> groups = Stream.of(RejectionPolicy.values())
                .map(policy -> face(
                        "groups, " + policy,
                        listener -> new Groups(
                                groupPolicy(listener).rejectionPolicy(policy).build())));
        Stream<Arguments> others = Stream.of(
                face(
                        "groups, global limit",
                        listener -> new Groups(groupPolicy(listener)
                                .globalMaxInFlight(3)
                                .globalQueueThreshold(20)
                                .build())),
                face(
                        "groups, handler",
                        listener -> new Groups(groupPolicy(listener)
                                .rejectionHandler(new RunsSome())
                                .build())),
                face("pool, ABORT", listener -> new Pool(listener, RejectionPolicy.ABORT)),
                face("pool, CALLER_RUNS", listener -> new Pool(listener, RejectionPolicy.CALLER_RUNS)),
                face("pool, BLOCK", listener -> new Pool(listener, RejectionPolicy.BLOCK)),
                face("isolation", Isolation::new));
        return Stream.concat(groups, others)
                .flatMap(face ->
                        Stream.of(ShutdownMode.values()).map(mode -> Arguments.of(face.get()[0], face.get()[1], mode)));
    }

    private static Arguments face(String name, FaceFactory factory) {
        return Arguments.of(name, factory);
    }

    private static GroupPolicy.Builder groupPolicy(TaskLifecycleListener listener) {
        return GroupPolicy.builder()
                .defaultMaxConcurrencyPerGroup(2)
                .defaultQueueThresholdPerGroup(10)
                .maxBlockTime(Duration.ofMillis(1))
                .taskLifecycleListener(listener);
    }

    /** Runs every second task, and discards the others. */
    private static final class RunsSome implements RejectionHandler {
        @Override
        public <T> GroupResult<T> onRejected(String groupKey, String taskId, Callable<T> task) {
            if (taskId.hashCode() % 2 == 0) {
                return new GroupResult<>(groupKey, taskId, TaskStatus.REJECTED, null, null, 0, 0);
            }
            try {
                return GroupResult.success(groupKey, taskId, task.call(), 0, 0);
            } catch (Exception e) {
                return GroupResult.failed(groupKey, taskId, e, 0, 0);
            }
        }
    }

    /** What a listener has heard of one task, in the order of the calls. */
    private static final class Heard {
        final Queue<String> events = new ConcurrentLinkedQueue<>();
        final AtomicInteger started = new AtomicInteger();
        final AtomicInteger retries = new AtomicInteger();
        final Queue<TaskStatus> ends = new ConcurrentLinkedQueue<>();
        final Queue<GroupResult<?>> results = new ConcurrentLinkedQueue<>();
    }

    private final Map<String, Heard> heard = new ConcurrentHashMap<>();
    private final Map<String, TaskHandle<String>> handles = new ConcurrentHashMap<>();

    private final TaskLifecycleListener listener = new TaskLifecycleListener() {
        @Override
        public void onSubmitted(TaskIdentity task) {
            heard.computeIfAbsent(task.taskId(), id -> new Heard()).events.add("submitted");
        }

        @Override
        public void onStarted(TaskIdentity task, Duration waited) {
            Heard own = heard.get(task.taskId());
            own.events.add("started");
            own.started.incrementAndGet();
            if (waited.isNegative()) {
                own.events.add("waited " + waited);
            }
        }

        @Override
        public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
            Heard own = heard.get(task.taskId());
            own.events.add("retry " + failedAttempts);
            own.retries.incrementAndGet();
        }

        @Override
        public void onCompleted(TaskIdentity task, GroupResult<?> result) {
            Heard own = heard.get(task.taskId());
            own.events.add("completed " + result.status());
            own.results.add(result);
            own.ends.add(result.status());
        }

        @Override
        public void onRejected(TaskIdentity task, Rejection rejection) {
            Heard own = heard.get(task.taskId());
            own.events.add("rejected");
            own.ends.add(TaskStatus.REJECTED);
        }
    };

    @ParameterizedTest(name = "{0}, {2}")
    @MethodSource("faces")
    void eachTaskHasTheDocumentedSequence(String name, FaceFactory factory, ShutdownMode mode) throws Exception {
        Face face = factory.create(listener);
        CountDownLatch half = new CountDownLatch(THREADS * TASKS_PER_THREAD / 2);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            threads.add(Thread.ofVirtual().start(() -> submitTasks(face, thread, half)));
        }
        TestKit.await(half);
        face.shutdown(mode);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(heard).hasSizeGreaterThanOrEqualTo(THREADS * TASKS_PER_THREAD / 2);
        heard.forEach((taskId, own) -> eventually(() ->
                assertThat(own.ends).as(name + " " + taskId + " " + own.events).hasSize(1)));
        TestKit.letOthersRun();
        heard.forEach(this::assertSequence);
    }

    private void submitTasks(Face face, int thread, CountDownLatch half) {
        Random random = new Random(thread);
        List<TaskHandle<String>> own = new ArrayList<>();
        for (int i = 0; i < TASKS_PER_THREAD; i++) {
            String taskId = thread + "-" + i;
            try {
                TaskHandle<String> handle =
                        face.submit("g" + random.nextInt(GROUPS), taskId, work(random), options(random));
                handles.put(taskId, handle);
                own.add(handle);
            } catch (RejectedTaskException | ExecutorShutdownException e) {
                // THROW, or after the shutdown
            }
            half.countDown();
            if (!own.isEmpty() && random.nextInt(5) == 0) {
                own.get(random.nextInt(own.size())).cancel(random.nextBoolean());
            }
        }
    }

    private static Callable<String> work(Random random) {
        int kind = random.nextInt(6);
        return () -> switch (kind) {
            case 0 -> throw new IllegalStateException("on purpose");
            case 1 -> {
                if (ThreadLocalRandom.current().nextBoolean()) {
                    throw new IllegalStateException("on purpose, sometimes");
                }
                yield "ran";
            }
            case 2 -> {
                new CountDownLatch(1).await(1, TimeUnit.MILLISECONDS);
                yield "ran";
            }
            case 3 -> throw new CancellationException("on purpose");
            default -> "ran";
        };
    }

    private static TaskOptions options(Random random) {
        TaskOptions.Builder options = TaskOptions.builder().priority(random.nextInt(3));
        if (random.nextInt(3) == 0) {
            options.retry(RetryPolicy.fixedDelay(3, Duration.ofNanos(random.nextInt(2) * 1_000_000)));
        }
        if (random.nextInt(4) == 0) {
            options.timeout(Duration.ofMillis(1 + random.nextInt(2)));
        }
        if (random.nextInt(4) == 0) {
            options.attemptTimeout(Duration.ofMillis(1));
        }
        if (random.nextInt(4) == 0) {
            options.maxQueueTime(Duration.ofMillis(1 + random.nextInt(3)));
        }
        return random.nextInt(3) == 0 ? TaskOptions.defaults() : options.build();
    }

    private void assertSequence(String taskId, Heard own) {
        List<String> events = List.copyOf(own.events);
        String all = taskId + " " + events;
        assertThat(events.getFirst()).as(all).isEqualTo("submitted");
        assertThat(events.stream().filter("submitted"::equals)).as(all).hasSize(1);
        assertThat(events).as(all).noneMatch(event -> event.startsWith("waited"));
        assertThat(own.started.get()).as(all).isLessThanOrEqualTo(1);
        List<String> retries = IntStream.rangeClosed(1, own.retries.get())
                .mapToObj(n -> "retry " + n)
                .toList();
        assertThat(events.stream().filter(event -> event.startsWith("retry")).toList())
                .as(all)
                .isEqualTo(retries);
        assertThat(own.ends).as(all).hasSize(1);
        assertThat(own.retries.get()).as(all).isLessThanOrEqualTo(own.started.get() * 2);
        TaskStatus end = own.ends.peek();
        boolean fromOutside = end == TaskStatus.CANCELLED || end == TaskStatus.FAILED || end == TaskStatus.REJECTED;
        assertThat(events.indexOf("completed " + end) == events.size() - 1
                        || events.indexOf("rejected") == events.size() - 1
                        || fromOutside)
                .as("only an outcome that was decided from outside can overlap with another event: " + all)
                .isTrue();
        assertOutcome(taskId, own, end, all);
    }

    private void assertOutcome(String taskId, Heard own, TaskStatus end, String all) {
        TaskHandle<String> handle = handles.get(taskId);
        if (handle == null) {
            return; // submit threw
        }
        assertThat(handle.isDone()).as(all).isTrue();
        GroupResult<String> result;
        try {
            result = handle.join();
        } catch (RejectedTaskException e) {
            assertThat(end).as(all).isEqualTo(TaskStatus.REJECTED);
            return;
        }
        assertThat(result.status()).as(all).isEqualTo(end);
        if (end == TaskStatus.SUCCESS && own.started.get() == 1) {
            assertThat(own.results.peek()).as(all).isSameAs(result);
            assertThat(result.attempts()).as(all).isEqualTo(own.retries.get() + 1);
        }
    }
}
