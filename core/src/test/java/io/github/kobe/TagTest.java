package io.github.kobe;

import static io.github.kobe.TestKit.await;
import static io.github.kobe.TestKit.executor;
import static io.github.kobe.TestKit.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.kobe.TestKit.BlockingTask;
import io.github.kobe.TestKit.Log;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Do statistics, listeners and messages show the tag of a task? */
@Timeout(60)
class TagTest {

    private static final TaskOptions MAIL = TaskOptions.builder().tag("mail").build();
    private static final TaskOptions IMPORT =
            TaskOptions.builder().tag("import").build();

    private final GroupExecutor executor = executor(b -> b);

    @AfterEach
    void close() {
        executor.close();
    }

    private GroupStats stats() {
        return executor.groupStats("g").orElseThrow();
    }

    @Test
    void handleHasTheTagOrAnEmptyOne() {
        TaskHandle<String> tagged = executor.submit("g", "t", () -> "ran", MAIL);
        assertThat(tagged.tag()).isEqualTo("mail");
        assertThat(tagged.toString()).startsWith("task 't' of group 'g' [mail], ");
        TaskHandle<String> plain = executor.submit("g", "t", () -> "ran");
        assertThat(plain.tag()).isEmpty();
        assertThat(plain.toString()).startsWith("task 't' of group 'g', ");
    }

    @Test
    void statisticsCountEveryOutcomeByTag() {
        resultOf(executor.submit("g", "good", () -> "ran", MAIL));
        resultOf(executor.submit(
                "g",
                "bad",
                () -> {
                    throw new Exception("on purpose");
                },
                MAIL));
        resultOf(executor.submit("g", "other", () -> "ran", IMPORT));
        resultOf(executor.submit("g", "plain", () -> "ran"));
        BlockingTask blocker = BlockingTask.in(executor, "g");
        executor.submit("g", "cancelled", () -> "ran", MAIL).cancel(true);
        executor.submit("g", "not ended", () -> "ran", IMPORT);
        resultOf(executor.submit(
                "g",
                "expired",
                () -> "ran",
                MAIL.toBuilder().maxQueueTime(Duration.ofMillis(1)).build()));
        assertThat(stats().completedByTag()).isEqualTo(Map.of("mail", 4L, "import", 1L));
        assertThat(stats().toString()).endsWith(" | completed by tag: mail 4, import 1");
        blocker.release();
    }

    @Test
    void rejectedTaskIsCountedUnderItsTagToo() {
        try (GroupExecutor full =
                executor(b -> b.defaultQueueThresholdPerGroup(0).rejectionPolicy(RejectionPolicy.DISCARD))) {
            BlockingTask blocker = BlockingTask.in(full, "g");
            resultOf(full.submit("g", "rejected", () -> "ran", MAIL));
            assertThat(full.groupStats("g").orElseThrow().completedByTag()).isEqualTo(Map.of("mail", 1L));
            blocker.release();
        }
    }

    @Test
    void retriedTaskIsCountedOnce() {
        resultOf(executor.submit(
                "g",
                "flaky",
                Flaky.failing(2),
                MAIL.toBuilder().retry(RetryPolicy.attempts(3)).build()));
        assertThat(stats().completedByTag()).isEqualTo(Map.of("mail", 1L));
    }

    @Test
    void groupWithoutTagsShowsNone() {
        resultOf(executor.submit("g", "plain", () -> "ran"));
        assertThat(stats().completedByTag()).isEmpty();
        assertThat(stats().toString()).doesNotContain("tag");
    }

    /** Records its calls with their tags. */
    private static final class EventRecorder implements TaskLifecycleListener {
        final List<String> events = new CopyOnWriteArrayList<>();

        @Override
        public void onSubmitted(TaskIdentity task) {
            events.add("submitted " + task.tag());
        }

        @Override
        public void onStarted(TaskIdentity task) {
            events.add("started " + task.tag());
        }

        @Override
        public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
            events.add("retry " + task.tag());
        }

        @Override
        public void onCompleted(TaskIdentity task, GroupResult<?> result) {
            events.add("completed " + task.tag());
        }

        @Override
        public void onRejected(TaskIdentity task, Rejection rejection) {
            events.add("rejected " + task.tag());
        }
    }

    @Test
    void listenersAreGivenTheTagInEachCall() {
        EventRecorder recorder = new EventRecorder();
        try (GroupExecutor full = executor(b -> b.defaultQueueThresholdPerGroup(0)
                .rejectionPolicy(RejectionPolicy.DISCARD)
                .taskLifecycleListener(recorder))) {
            resultOf(full.submit(
                    "g",
                    "flaky",
                    Flaky.failing(1),
                    MAIL.toBuilder().retry(RetryPolicy.attempts(2)).build()));
            assertThat(recorder.events)
                    .containsExactly("submitted mail", "started mail", "retry mail", "completed mail");
            recorder.events.clear();
            BlockingTask blocker = BlockingTask.interruptible();
            TaskHandle<String> running = full.submit("g", "running", blocker, MAIL);
            await(blocker.started);
            resultOf(full.submit("g", "rejected", () -> "ran", IMPORT));
            assertThat(recorder.events)
                    .containsExactly("submitted mail", "started mail", "submitted import", "rejected import");
            blocker.release();
            resultOf(running);
        }
    }

    @Test
    void messageOfATimeoutHasTheTag() {
        TaskOptions options = MAIL.toBuilder().timeout(Duration.ofMillis(2)).build();
        assertThat(resultOf(executor.submit("g", "t", BlockingTask.interruptible(), options))
                        .error())
                .hasMessageStartingWith("task 't' of group 'g' [mail] exceeded");
    }

    @Test
    void messageOfARejectionHasTheTag() {
        try (GroupExecutor full = executor(b -> b.defaultQueueThresholdPerGroup(0))) {
            BlockingTask blocker = BlockingTask.in(full, "g");
            TaskHandle<String> rejected = full.submit("g", "t", () -> "ran", MAIL);
            RejectedTaskException e = catchThrowableOfType(RejectedTaskException.class, rejected::await);
            assertThat(e).hasMessageContaining("task 't' of group 'g' [mail]");
            assertThat(e.tag()).isEqualTo("mail");
            assertThat(rejected.tag()).isEqualTo("mail");
            blocker.release();
        }
    }

    @Test
    void messageOfACancellationHasTheTag() {
        BlockingTask.in(executor, "g");
        TaskHandle<String> cancelled = executor.submit("g", "t", () -> "ran", MAIL);
        cancelled.cancel(true);
        assertThat(resultOf(cancelled).error()).hasMessage("task 't' of group 'g' [mail]: cancelled");
    }

    @Test
    void messageOfATimedOutAwaitHasTheTag() throws Exception {
        BlockingTask.in(executor, "g");
        TaskHandle<String> waiting = executor.submit("g", "t", () -> "ran", MAIL);
        assertThat(waiting.await(1, TimeUnit.MILLISECONDS).error())
                .hasMessageStartingWith("task 't' of group 'g' [mail] has not completed within");
    }

    @Test
    void reportOfAFaultHasTheTag() {
        try (Log log = new Log()) {
            TaskOptions options = MAIL.toBuilder()
                    .recovery(fault -> {
                        throw new IllegalStateException("of the recovery");
                    })
                    .build();
            resultOf(executor.submit("g", "t", Flaky.failingAlways(), options));
            assertThat(log.lines("of the recovery")).singleElement().asString().contains("'t' of group 'g' [mail]");
        }
    }
}
