package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.FairnessState;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** If the timer has no thread while a group is added to the ready queue, other groups are dispatched all the same. */
class ReadyQueueStallTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long A_WHILE = TimeUnit.SECONDS.toNanos(1);

    private final FakeTimer clock = new FakeTimer();
    private final Deque<Runnable> started = new ArrayDeque<>();
    private final WeightedRoundRobin turns = new WeightedRoundRobin();
    private Runnable beforeAdd = () -> {};
    private boolean timerFails;

    /** As a system timer whose thread cannot be created. */
    private final Timer timer = new Timer() {
        @Override
        public long nanoTime() {
            return clock.nanoTime();
        }

        @Override
        public void start(TimerEntry entry, long delayNanos) {
            if (timerFails) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            clock.start(entry, delayNanos);
        }

        @Override
        public boolean cancel(TimerEntry entry) {
            return clock.cancel(entry);
        }
    };

    private final ReadyQueue readyQueue = new ReadyQueue() {
        @Override
        public FairnessState newState() {
            return turns.newState();
        }

        @Override
        public void add(Competitor group) {
            Runnable action = beforeAdd;
            beforeAdd = () -> {};
            action.run();
            turns.add(group);
        }

        @Override
        public boolean beginAdd() {
            return turns.beginAdd();
        }

        @Override
        public void endAdd() {
            turns.endAdd();
        }

        @Override
        public @Nullable Competitor poll() {
            return turns.poll();
        }

        @Override
        public void endPoll() {
            turns.endPoll();
        }

        @Override
        public boolean isEmpty() {
            return turns.isEmpty();
        }

        @Override
        public void started(Competitor group, long now) {
            turns.started(group, now);
        }

        @Override
        public void left(Competitor group, boolean idle) {
            turns.left(group, idle);
        }

        @Override
        public void removeIf(java.util.function.Predicate<Competitor> leaves) {
            turns.removeIf(leaves);
        }
    };

    private final Dispatcher dispatcher = new Dispatcher(
            key -> new GroupLimits(2, UNLIMITED, UNLIMITED, 2, false),
            1,
            UNLIMITED,
            0,
            readyQueue,
            started::add,
            timer);

    private TestTask submit(String key) {
        TestTask task = new TestTask(() -> {});
        assertThat(dispatcher.submit(key, task)).isEqualTo(Admission.ADMITTED);
        return task;
    }

    /** The group retires in joinReadyQueue, between beginAdd and endAdd. */
    @Test
    void groupThatRetiresWhileItJoins() {
        submit("running");
        TestTask gone = new TestTask(() -> {});
        beforeAdd = () -> {
            gone.cancel(false, "the only one of its group");
            clock.advance(A_WHILE); // the sweep is over, and has to be scheduled again
            timerFails = true;
        };
        assertThat(dispatcher.submit("gone", gone)).isEqualTo(Admission.ADMITTED);
        timerFails = false;
        assertNextStarts();
    }

    private void assertNextStarts() {
        Runnable running = started.remove();
        TestTask next = submit("next");
        assertThat(started).as("at the global limit").isEmpty();
        running.run();
        assertThat(started).as("the permit goes to the next queued task").containsExactly(next);
    }
}
