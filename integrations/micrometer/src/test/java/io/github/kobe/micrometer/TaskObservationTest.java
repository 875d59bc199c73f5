package io.github.kobe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskTimeoutException;
import io.github.kobe.micrometer.TaskObservationDocumentation.HighCardinalityKeyNames;
import io.github.kobe.micrometer.TaskObservationDocumentation.LowCardinalityKeyNames;
import io.github.kobe.pool.WorkerPool;
import io.micrometer.common.KeyValue;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Is each task observed once, with its outcome? */
class TaskObservationTest {

    private final Recorder recorder = new Recorder();
    private final ObservationRegistry observations = ObservationRegistry.create();

    TaskObservationTest() {
        observations.observationConfig().observationHandler(recorder);
    }

    /** Records what happens to observations. A call for one that has stopped is a fault. */
    private static final class Recorder implements ObservationHandler<TaskObservationContext> {

        private final AtomicInteger started = new AtomicInteger();
        private final ConcurrentLinkedQueue<TaskObservationContext> stopped = new ConcurrentLinkedQueue<>();
        private final ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();
        private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof TaskObservationContext;
        }

        @Override
        public void onStart(TaskObservationContext context) {
            started.incrementAndGet();
        }

        @Override
        public void onEvent(Observation.Event event, TaskObservationContext context) {
            events.add(event.getName());
            if (context.containsKey("stopped")) {
                faults.add("event " + event.getName() + " after the stop");
            }
        }

        @Override
        public void onStop(TaskObservationContext context) {
            if (context.containsKey("stopped")) {
                faults.add("stopped twice");
            }
            context.put("stopped", true);
            stopped.add(context);
        }

        TaskObservationContext only() {
            assertThat(started).hasValue(1);
            assertThat(stopped).hasSize(1);
            assertThat(faults).isEmpty();
            return Objects.requireNonNull(stopped.peek());
        }
    }

    private GroupExecutor executor(GroupPolicy.Builder policy) {
        return GroupExecutor.newVirtualThreadExecutor(
                policy.taskLifecycleListener(TaskObservation.of(observations, "orders"))
                        .build());
    }

    private static List<String> lowValues(Observation.Context context) {
        return values(context.getLowCardinalityKeyValues());
    }

    private static List<String> values(Iterable<KeyValue> keyValues) {
        List<String> values = new ArrayList<>();
        keyValues.forEach(value -> values.add(value.getKey() + "=" + value.getValue()));
        return values;
    }

    private static Callable<Integer> failing() {
        return () -> {
            throw new IllegalStateException("expected");
        };
    }

    @Test
    void aTaskThatSucceeds() {
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            executor.submit(
                            "acme",
                            "job-1",
                            () -> 1,
                            TaskOptions.builder().tag("report").build())
                    .join();
        }
        TaskObservationContext context = recorder.only();
        assertThat(context.getName()).isEqualTo("group.concurrency.task");
        assertThat(context.getContextualName()).isEqualTo("task report");
        assertThat(lowValues(context)).containsExactly("name=orders", "outcome=success", "reason=none", "tag=report");
        assertThat(values(context.getHighCardinalityKeyValues()))
                .contains("group=acme", "task.id=job-1", "attempts=1")
                .anyMatch(value -> value.matches("wait=[0-9.E-]+"));
        assertThat(context.getError()).isNull();
        assertThat(recorder.events).containsExactly("started");
    }

    @Test
    void aTaskThatIsRetriedIsObservedOnce() {
        AtomicInteger attempts = new AtomicInteger();
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            executor.submit(
                            "acme",
                            () -> attempts.incrementAndGet() < 3 ? failing().call() : 1,
                            TaskOptions.builder()
                                    .retry(RetryPolicy.fixedDelay(3, Duration.ofMillis(1)))
                                    .build())
                    .join();
        }
        TaskObservationContext context = recorder.only();
        assertThat(recorder.events).containsExactly("started", "retry", "retry");
        assertThat(lowValues(context)).contains("outcome=success", "tag=none");
        assertThat(values(context.getHighCardinalityKeyValues())).contains("attempts=3");
        assertThat(context.getContextualName()).isEqualTo("task");
    }

    @Test
    void aTaskThatFails() {
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            executor.submit("acme", failing()).join();
        }
        TaskObservationContext context = recorder.only();
        assertThat(lowValues(context)).contains("outcome=failure");
        assertThat(context.getError()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aTaskThatTimesOut() {
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            executor.submit(
                            "acme",
                            new Blocker(),
                            TaskOptions.builder().timeout(Duration.ofMillis(1)).build())
                    .join();
        }
        TaskObservationContext context = recorder.only();
        assertThat(lowValues(context)).contains("outcome=timeout");
        assertThat(context.getError()).isInstanceOf(TaskTimeoutException.class);
    }

    @Test
    void aTaskThatIsCancelledWhileItIsQueued() throws Exception {
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            Blocker blocker = new Blocker();
            TaskHandle<Boolean> running = executor.submit("acme", blocker);
            blocker.awaitStarted();
            TaskHandle<Integer> queued = executor.submit("acme", () -> 1);
            queued.cancel(true);
            queued.join();
            TaskObservationContext context = Objects.requireNonNull(recorder.stopped.peek());
            assertThat(lowValues(context)).contains("outcome=cancelled");
            assertThat(context.getError()).as("a cancellation is no error").isNull();
            assertThat(values(context.getHighCardinalityKeyValues())).contains("attempts=0");
            blocker.release();
            running.join();
        }
        assertThat(recorder.stopped).hasSize(2);
    }

    @Test
    void aTaskThatIsRejected() throws Exception {
        try (GroupExecutor executor = executor(
                GroupPolicy.builder().defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.DISCARD))) {
            Blocker blocker = new Blocker();
            TaskHandle<Boolean> running = executor.submit("acme", blocker);
            blocker.awaitStarted();
            executor.submit("acme", () -> 1).join();
            TaskObservationContext context = Objects.requireNonNull(recorder.stopped.peek());
            assertThat(lowValues(context)).contains("outcome=rejected", "reason=group_queue_full");
            assertThat(values(context.getHighCardinalityKeyValues())).contains("attempts=0");
            assertThat(context.getResult()).isNull();
            assertThat(Objects.requireNonNull(context.getRejection()).limit()).isEqualTo(1);
            blocker.release();
            running.join();
        }
        assertThat(recorder.stopped).hasSize(2);
        assertThat(recorder.faults).isEmpty();
    }

    @Test
    void theParentIsTheObservationOfTheSubmitter() {
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            Observation request = Observation.start("request", observations);
            request.scoped(() -> executor.submit("acme", () -> 1).join());
            request.stop();
            assertThat(Objects.requireNonNull(recorder.only().getParentObservation())
                            .getContextView()
                            .getName())
                    .isEqualTo("request");
        }
    }

    @Test
    void theCarrierMakesTheObservationCurrentInEachAttempt() {
        TaskObservation observation = TaskObservation.of(observations, "orders");
        List<String> seen = new ArrayList<>();
        try (WorkerPool pool = WorkerPool.builder()
                .maxWorkers(1)
                .taskLifecycleListener(observation)
                .contextCarrier(observation.carrier())
                .build()) {
            pool.submit(
                            () -> {
                                seen.add(currentTask());
                                return seen.size() < 3 ? failing().call() : 1;
                            },
                            TaskOptions.builder()
                                    .tag("report")
                                    .retry(RetryPolicy.fixedDelay(3, Duration.ofMillis(1)))
                                    .build())
                    .join();
            pool.submit(() -> seen.add(currentTask())).join();
        }
        assertThat(seen).containsExactly("report", "report", "report", "");
        assertThat(observations.getCurrentObservation()).isNull();
        assertThat(recorder.stopped).hasSize(2);
        assertThat(recorder.faults).isEmpty();
    }

    /** The tag of the task whose observation is current. */
    private String currentTask() {
        return ((TaskObservationContext) Objects.requireNonNull(observations.getCurrentObservation())
                        .getContext())
                .getTag();
    }

    @Test
    void everyTaskIsObservedOnceWhileTasksAreCancelledAsTheyStart() {
        int tasks = 2000;
        try (GroupExecutor executor = executor(GroupPolicy.builder().defaultMaxConcurrencyPerGroup(4))) {
            List<TaskHandle<Integer>> handles = new ArrayList<>();
            for (int i = 0; i < tasks; i++) {
                handles.add(executor.submit("acme", () -> 1));
                handles.get(i / 2).cancel(true);
            }
            handles.forEach(TaskHandle::join);
            await().until(() -> recorder.stopped.size() == tasks); // a start that is being told may delay the stop
        }
        assertThat(recorder.started).hasValue(tasks);
        assertThat(recorder.faults).isEmpty();
    }

    @Test
    void anotherConventionIsUsed() {
        TaskObservation listener = TaskObservation.of(observations, "orders")
                .withConvention(new DefaultTaskObservationConvention() {
                    @Override
                    public String getName() {
                        return "my.task";
                    }
                });
        GroupPolicy policy =
                GroupPolicy.builder().taskLifecycleListener(listener).build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            executor.submit("acme", () -> 1).join();
        }
        assertThat(recorder.only().getName()).isEqualTo("my.task");
    }

    @Test
    void aRegistryWithoutHandlersCostsNothing() {
        GroupPolicy policy = GroupPolicy.builder()
                .taskLifecycleListener(TaskObservation.of(ObservationRegistry.NOOP, "orders"))
                .build();
        try (GroupExecutor executor = GroupExecutor.newVirtualThreadExecutor(policy)) {
            assertThat(executor.submit("acme", () -> 1).join().isSuccess()).isTrue();
        }
        assertThat(recorder.started).hasValue(0);
    }

    @Test
    void theUsualHandlerMakesATimer() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            executor.submit("acme", () -> 1).join();
            executor.submit("acme", failing()).join();
        }
        assertThat(meters.get("group.concurrency.task")
                        .tags("name", "orders", "outcome", "failure", "error", "IllegalStateException")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(meters.get("group.concurrency.task")
                        .tags("outcome", "success")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void allKeyValuesAreDocumented() {
        try (GroupExecutor executor = executor(GroupPolicy.builder())) {
            executor.submit("acme", () -> 1).join();
        }
        TaskObservationContext context = recorder.only();
        assertThat(context.getLowCardinalityKeyValues())
                .extracting(KeyValue::getKey)
                .containsExactlyInAnyOrderElementsOf(keys(LowCardinalityKeyNames.values()));
        assertThat(context.getHighCardinalityKeyValues())
                .extracting(KeyValue::getKey)
                .containsExactlyInAnyOrderElementsOf(keys(HighCardinalityKeyNames.values()));
        assertThat(TaskObservationDocumentation.TASK.getDefaultConvention())
                .isEqualTo(DefaultTaskObservationConvention.class);
    }

    private static List<String> keys(KeyName... names) {
        return Arrays.stream(names).map(KeyName::asString).toList();
    }
}
