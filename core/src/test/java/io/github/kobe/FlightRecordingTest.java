package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.eventually;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.internal.jfr.FlightRecording;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationPolicy;
import io.github.kobe.pool.WorkerPool;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Does a file of the flight recorder show what happened? */
@Timeout(120)
class FlightRecordingTest {

    private static final String PREFIX = "io.github.kobe.";

    @TempDir
    Path directory;

    private int files;

    /** What a recording in a file shows. */
    private List<RecordedEvent> events(Recording recording, String name) throws IOException {
        Path file = directory.resolve("recording-" + files++ + ".jfr");
        recording.dump(file);
        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(PREFIX + name))
                .toList();
        Files.delete(file);
        return events;
    }

    /** An outcome can be seen a moment before its event is written. */
    private void eventuallyRecorded(Recording recording, String name, ThrowingConsumer<List<RecordedEvent>> check) {
        eventually(() -> check.accept(events(recording, name)));
    }

    private static Recording recording(String name, String... settings) {
        Recording recording = new Recording();
        var event = recording.enable(PREFIX + name);
        for (int i = 0; i < settings.length; i += 2) {
            event.with(settings[i], settings[i + 1]);
        }
        recording.start();
        return recording;
    }

    private static List<String> texts(List<RecordedEvent> events, String field) {
        return events.stream().map(event -> event.getString(field)).toList();
    }

    @Test
    void completedTasks() {
        try (Recording recording = recording("TaskCompleted", "slowerThan", "0 ns");
                GroupExecutor executor = executor(b -> b.name("orders"))) {
            String key = "a key\nwith \"everything\" ünd more";
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<String> first = executor.submit(
                    key, "first", blocker, TaskOptions.builder().tag("mail").build());
            await(blocker.started);
            TaskHandle<String> second = executor.submit(key, "second", () -> {
                throw new IOException("no answer");
            });
            TaskHandle<String> third = executor.submit(key, "third", () -> "never");
            third.cancel(true);
            blocker.release();
            resultOf(first);
            GroupResult<String> failed = resultOf(second);
            TaskHandle<String> fourth = executor.submit(
                    key,
                    "fourth",
                    BlockingTask.interruptible(),
                    TaskOptions.builder().timeout(Duration.ofMillis(1)).build());
            resultOf(fourth);
            eventuallyRecorded(recording, "TaskCompleted", events -> {
                assertThat(texts(events, "taskId")).containsExactlyInAnyOrder("first", "second", "third", "fourth");
                assertThat(texts(events, "executor")).containsOnly("orders");
                assertThat(texts(events, "group")).containsOnly(key);
                Map<String, String> outcomes = new HashMap<>();
                events.forEach(event -> outcomes.put(event.getString("taskId"), event.getString("outcome")));
                assertThat(outcomes)
                        .isEqualTo(Map.of(
                                "first", "SUCCESS", "second", "FAILED", "third", "CANCELLED", "fourth", "TIMED_OUT"));
                RecordedEvent ofFirst = byId(events, "first");
                assertThat(ofFirst.getString("tag")).isEqualTo("mail");
                assertThat(ofFirst.getDuration("queuedDuration")).isZero();
                assertThat(ofFirst.getDuration("runDuration")).isPositive();
                assertThat(ofFirst.getInt("attempts")).isEqualTo(1);
                assertThat(ofFirst.getStackTrace()).isNull();
                RecordedEvent ofSecond = byId(events, "second");
                assertThat(ofSecond.getDuration("queuedDuration")).isEqualTo(failed.waited());
                assertThat(ofSecond.getDuration("runDuration")).isEqualTo(failed.ran());
                assertThat(ofSecond.getClass("errorClass").getName()).isEqualTo(IOException.class.getName());
            });
        }
    }

    private static RecordedEvent byId(List<RecordedEvent> events, String taskId) {
        return events.stream()
                .filter(event -> event.getString("taskId").equals(taskId))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void onlySlowTasksUnlessToldOtherwise() {
        try (Recording recording = recording("TaskCompleted", "slowerThan", "1 h");
                Recording other = recording("TaskRejected");
                GroupExecutor executor = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            resultOf(executor.submit("fast", "fast", () -> "ran"));
            BlockingTask blocker = BlockingTask.in(executor, "g");
            eventually(() -> {
                executor.submit(
                        "g", "rejected", () -> "never"); // another test may have used up the events of this second
                assertThat(events(other, "TaskRejected")).isNotEmpty();
            });
            blocker.release();
            eventuallyRecorded(
                    recording,
                    "TaskCompleted",
                    events -> assertThat(texts(events, "group")).doesNotContain("fast"));
        }
    }

    @Test
    void rejections() throws InterruptedException {
        try (Recording recording = recording("TaskRejected");
                GroupExecutor executor = executor(b -> b.name("orders")
                        .defaultMaxConcurrencyPerGroup(2)
                        .defaultQueueThresholdPerGroup(0)
                        .rejectionPolicy(RejectionPolicy.DISCARD))) {
            BlockingTask first = BlockingTask.in(executor, "g");
            BlockingTask second = BlockingTask.in(executor, "g");
            eventually(() -> {
                // again and again, because another test may have used up the events of this second
                executor.submit(
                        "g",
                        "t",
                        () -> "never",
                        TaskOptions.builder().tag("mail").build());
                assertThat(executor.tryAcquire("g", Duration.ZERO).isGranted()).isFalse();
                List<RecordedEvent> events = events(recording, "TaskRejected");
                assertThat(texts(events, "taskId")).contains("t", "permit");
                RecordedEvent task = byId(events, "t");
                assertThat(task.getString("executor")).isEqualTo("orders");
                assertThat(task.getString("group")).isEqualTo("g");
                assertThat(task.getString("tag")).isEqualTo("mail");
                assertThat(task.getString("reason")).isEqualTo("GROUP_QUEUE_FULL");
                assertThat(task.getString("limitedBy")).isEqualTo("GROUP_CONCURRENCY");
                assertThat(task.getInt("active")).isEqualTo(2);
                assertThat(task.getInt("limit")).isEqualTo(2);
                assertThat(task.getInt("queuedTasks")).isZero();
                assertThat(task.getInt("queueCapacity")).isZero();
                assertThat(byId(events, "permit").getString("group")).isEqualTo("g");
            });
            first.release();
            second.release();
        }
    }

    @Test
    void rejectionByASharedLimitSaysWhichOne() throws InterruptedException {
        try (Recording recording = recording("TaskRejected");
                GroupExecutor executor = executor(b -> b.defaultMaxConcurrencyPerGroup(2)
                        .sharedLimit(SharedLimit.by("tenant", key -> "acme").max(1)))) {
            BlockingTask first = BlockingTask.in(executor, "g");
            eventually(() -> {
                assertThat(executor.tryAcquire("shared", Duration.ZERO).isGranted())
                        .isFalse();
                assertThat(events(recording, "TaskRejected"))
                        .filteredOn(event -> event.getString("group").equals("shared"))
                        .isNotEmpty()
                        .allSatisfy(event -> {
                            assertThat(event.getString("limitedBy")).isEqualTo("SHARED");
                            assertThat(event.getString("sharedLimit")).isEqualTo("tenant 'acme'");
                        });
            });
            first.release();
        }
    }

    /** They may be most of the tasks. What is not recorded is counted. */
    @Test
    void rejectionsAreRecordedAtALimitedRate() {
        int rejected = 5_000;
        try (Recording recording = recording("TaskRejected");
                GroupExecutor executor =
                        executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.DISCARD))) {
            BlockingTask blocker = BlockingTask.in(executor, "g");
            long start = System.nanoTime();
            for (int i = 0; i < rejected; i++) {
                executor.submit("g", "t", () -> "never");
            }
            List<RecordedEvent> recorded = new ArrayList<>();
            eventually(() -> {
                executor.submit("g", "later", () -> "never"); // the next event comes when the second is over
                recorded.clear();
                recorded.addAll(events(recording, "TaskRejected"));
                assertThat(recorded)
                        .extracting(event -> event.getLong("notRecorded"))
                        .anyMatch(number -> number > 0);
            });
            long seconds = 2 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
            assertThat(recorded).hasSizeLessThanOrEqualTo((int) Math.min(rejected, 100 * seconds));
            blocker.release();
        }
    }

    @Test
    void changesOfLimits() {
        try (Recording recording = recording("LimitChanged");
                GroupExecutor executor = executor(b -> b.name("orders").defaultMaxConcurrencyPerGroup(3))) {
            resultOf(executor.submit("known", "t", () -> "ran"));
            executor.setMaxConcurrency("known", 5);
            executor.setMaxConcurrency("known", 5);
            executor.setMaxInFlight("known", 7);
            executor.setQueueThreshold("known", 9);
            executor.setWeight("known", 2);
            executor.pauseGroup("known");
            executor.setWeight("unknown", 4);
            executor.resetGroup("unknown");
            executor.setGlobalMaxInFlight(11);
            executor.setGlobalQueueThreshold(12);
            executor.setDefaultQueueThreshold(13);
            executor.setDefaultMaxConcurrency(14);
            int unlimited = Integer.MAX_VALUE;
            eventuallyRecorded(
                    recording,
                    "LimitChanged",
                    events -> assertThat(events)
                            .extracting(event -> event.getString("group") + " " + event.getString("limit") + " "
                                    + event.getInt("from") + " " + event.getInt("to"))
                            .containsExactly(
                                    "known maxConcurrency 3 5",
                                    "known maxInFlight " + unlimited + " 7",
                                    "known queueThreshold " + unlimited + " 9",
                                    "known weight 1 2",
                                    "known paused 0 1",
                                    "unknown weight -1 4",
                                    "unknown weight 4 -1",
                                    " globalMaxInFlight " + unlimited + " 11",
                                    " globalQueueThreshold " + unlimited + " 12",
                                    " defaultQueueThreshold " + unlimited + " 13",
                                    " defaultMaxConcurrency 3 14"));
        }
    }

    @Test
    void changesOfLanes() {
        try (Recording recording = recording("LaneChanged");
                IsolationExecutor executor = IsolationExecutor.create(IsolationPolicy.builder()
                        .name("tenants")
                        .slowThreshold(Duration.ofMillis(1))
                        .build())) {
            BlockingTask hanging = BlockingTask.interruptible();
            executor.submit("slow", hanging);
            await(hanging.started);
            eventuallyRecorded(recording, "LaneChanged", events -> {
                assertThat(events).isNotEmpty();
                RecordedEvent first = events.get(0);
                assertThat(first.getString("executor")).isEqualTo("tenants");
                assertThat(first.getString("key")).isEqualTo("slow");
                assertThat(first.getString("from")).isEqualTo("FAST");
                assertThat(first.getString("to")).isEqualTo("SLOW");
            });
            hanging.release();
        }
    }

    @Test
    void resizesOfPools() {
        try (Recording recording = recording("PoolResized");
                WorkerPool pool = WorkerPool.builder()
                        .name("jobs")
                        .minWorkers(2)
                        .maxWorkers(4)
                        .build()) {
            pool.setMaxWorkers(6);
            pool.setMaxWorkers(6);
            pool.setMaxWorkers(3);
            eventuallyRecorded(
                    recording,
                    "PoolResized",
                    events -> assertThat(events)
                            .extracting(event -> event.getString("executor") + " " + event.getInt("from") + " "
                                    + event.getInt("to") + " " + event.getInt("minWorkers") + " "
                                    + event.getInt("maxWorkers")
                                    + " " + event.getInt("zombies"))
                            .containsExactly("jobs 4 6 2 6 0", "jobs 6 3 2 3 0"));
        }
    }

    @Test
    void nothingIsOnWithoutARecording() {
        assertThat(FlightRecording.recordsTasks()).isFalse();
        assertThat(FlightRecording.recordsRejections()).isFalse();
        assertThat(FlightRecording.recordsLimits()).isFalse();
    }

    /** The library must work in a run-time image without the module jdk.jfr. */
    @Test
    void worksWithoutTheModuleOfTheFlightRecorder() throws Exception {
        String classes = location(GroupExecutor.class) + File.pathSeparator + location(WithoutFlightRecorder.class);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--limit-modules", "java.base", "-cp", classes, WithoutFlightRecorder.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("jdk.jfr: false, ran, rejected 1, jobs ran, tenants ran");
    }

    private static String location(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }
}
