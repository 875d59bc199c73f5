package io.github.kobe.isolation;

import static io.github.kobe.isolation.IsolationKit.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.isolation.IsolationKit.BlockingTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Is a key that hangs announced while it hangs, although nothing completes and nothing starts? */
class HangingKeyTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Duration THRESHOLD = Duration.ofSeconds(10);

    /** The longest time between two checks of the age. */
    private static final long CHECK_PERIOD = SECOND;

    private final FakeTimer timer = new FakeTimer();
    private final Queue<Decision> heard = new ConcurrentLinkedQueue<>();

    private IsolationExecutor executor() {
        return executor(timer);
    }

    private IsolationExecutor executor(Timer time) {
        timer.advance(1); // 0 means "not started"
        IsolationPolicy policy = IsolationPolicy.builder()
                .maxConcurrency(8)
                .slowThreshold(THRESHOLD)
                .listener(heard::add)
                .build();
        return IsolationExecutor.create(policy, TaskRunner.freshVirtualThreads(), time);
    }

    private static List<String> changes(IsolationExecutor executor) {
        return changes(executor.stats().decisions());
    }

    private static List<String> changes(Iterable<Decision> decisions) {
        List<String> changes = new ArrayList<>();
        for (Decision decision : decisions) {
            if (decision instanceof Decision.LaneChange change) {
                changes.add(change.key() + " " + change.from() + " -> " + change.to());
            }
        }
        return changes;
    }

    @Test
    void newKeyThatHangsIsAnnounced() {
        try (IsolationExecutor executor = executor()) {
            BlockingTask.in(executor, "hangs");
            timer.advance(10 * SECOND - 1);
            assertThat(changes(executor)).isEmpty();
            timer.advance(1 + CHECK_PERIOD);
            assertThat(changes(executor)).containsExactly("hangs FAST -> SLOW");
            eventually(() -> assertThat(changes(heard)).containsExactly("hangs FAST -> SLOW"));
            timer.advance(1000 * SECOND);
            assertThat(changes(executor)).as("announced once").hasSize(1);
        }
    }

    @Test
    void knownKeyThatHangsIsAnnounced() throws Exception {
        try (IsolationExecutor executor = executor()) {
            for (int i = 0; i < 100; i++) {
                executor.submit("hangs", () -> 1).await();
            }
            BlockingTask.in(executor, "hangs");
            timer.advance(10 * SECOND + CHECK_PERIOD);
            assertThat(changes(executor)).containsExactly("hangs FAST -> SLOW");
        }
    }

    @Test
    void keyThatHangsAmongOthersIsAnnouncedAlone() throws Exception {
        try (IsolationExecutor executor = executor()) {
            BlockingTask.in(executor, "hangs");
            for (int i = 0; i < 200; i++) {
                BlockingTask fast = BlockingTask.in(executor, "fast " + i);
                timer.advance(SECOND / 10);
                fast.release();
            }
            assertThat(changes(executor)).containsExactly("hangs FAST -> SLOW");
        }
    }

    @Test
    void keyThatReturnsInTimeIsNotAnnounced() {
        try (IsolationExecutor executor = executor()) {
            BlockingTask inTime = BlockingTask.in(executor, "in time");
            timer.advance(10 * SECOND - 1);
            inTime.release();
            eventually(() -> assertThat(executor.stats().running()).isZero());
            timer.advance(100 * SECOND);
            assertThat(changes(executor)).isEmpty();
        }
    }

    @Test
    void nothingIsScheduledWhenNothingRuns() {
        try (IsolationExecutor executor = executor()) {
            BlockingTask blocker = BlockingTask.in(executor, "a");
            timer.advance(5 * SECOND);
            assertThat(timer.pending())
                    .as("the age check, and the removal of idle keys")
                    .isEqualTo(2);
            blocker.release();
            eventually(() -> assertThat(executor.stats().running()).isZero());
            timer.advance(CHECK_PERIOD);
            assertThat(timer.pending()).as("the removal of idle keys").isEqualTo(1);
            BlockingTask.in(executor, "a");
            assertThat(timer.pending()).isEqualTo(2);
        }
    }

    @Test
    void tasksStartIfTheirAgeCannotBeChecked() throws Exception {
        boolean[] fails = {false};
        Timer failing = new Timer() {
            @Override
            public long nanoTime() {
                return timer.nanoTime();
            }

            @Override
            public void start(TimerEntry entry, long delayNanos) {
                if (fails[0]) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                timer.start(entry, delayNanos);
            }

            @Override
            public boolean cancel(TimerEntry entry) {
                return timer.cancel(entry);
            }
        };
        try (IsolationExecutor executor = executor(failing)) {
            executor.submit("a", () -> 1).await();
            timer.advance(2 * CHECK_PERIOD);
            fails[0] = true;
            assertThat(executor.submit("a", () -> 2).await().value()).isEqualTo(2);
            fails[0] = false;
            BlockingTask.in(executor, "a");
            timer.advance(10 * SECOND + CHECK_PERIOD);
            assertThat(changes(executor)).containsExactly("a FAST -> SLOW");
        }
    }
}
