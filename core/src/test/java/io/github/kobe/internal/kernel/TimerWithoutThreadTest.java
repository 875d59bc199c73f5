package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** If the timer has no thread for the time limit of a task, no count and no permit is lost. */
class TimerWithoutThreadTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final FakeTimer clock = new FakeTimer();
    private final Deque<Runnable> started = new ArrayDeque<>();
    private boolean timerFails;

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

    private static final class Limited extends KernelTask<String> {
        private final AttemptState attempts = new AttemptState(0, 1_000, 1_000, false);

        @Override
        protected @Nullable AttemptState attempts() {
            return attempts;
        }

        @Override
        protected String execute() {
            return "ran";
        }

        @Override
        protected String failed(Throwable fault) {
            return "failed";
        }

        @Override
        protected String cancelled(String why) {
            return "cancelled";
        }
    }

    private Dispatcher dispatcher() {
        clock.advance(1);
        return new Dispatcher(
                key -> new GroupLimits(1, UNLIMITED, UNLIMITED),
                UNLIMITED,
                UNLIMITED,
                Long.MAX_VALUE,
                new WeightedRoundRobin(),
                started::add,
                timer);
    }

    @Test
    void taskWhoseQueueTimeCannotBeTrackedIsNotCounted() {
        Dispatcher dispatcher = dispatcher();
        dispatcher.submit("g", new TestTask(() -> {}));
        Group group = dispatcher.groups().iterator().next();
        timerFails = true;
        ignoringErrors(() -> dispatcher.submit("g", new Limited()));
        timerFails = false;
        started.remove().run();
        assertThat(group.queued()).isZero();
        dispatcher.close();
        assertThat(group.isRetired()).as("nothing is left in it").isTrue();
    }

    @Test
    void taskWhoseRunTimeCannotBeTrackedReleasesItsPermit() {
        Dispatcher dispatcher = dispatcher();
        Limited task = new Limited();
        dispatcher.submit("g", task);
        Group group = dispatcher.groups().iterator().next();
        timerFails = true;
        ignoringErrors(started.remove());
        timerFails = false;
        assertThat(task.isCompleted()).isTrue();
        assertThat(group.active()).isZero();
    }

    /** Fails, and asks for another attempt. */
    private static final class Retrying extends KernelTask<String> {
        private final AttemptState attempts;

        Retrying(boolean keepsPermit) {
            attempts = new AttemptState(0, AttemptLimits.NONE, AttemptLimits.NONE, keepsPermit);
        }

        @Override
        protected @Nullable AttemptState attempts() {
            return attempts;
        }

        @Override
        protected String execute() {
            return "failed attempt";
        }

        @Override
        protected long retryDelay(Object result) {
            return 1;
        }

        @Override
        protected String failed(Throwable fault) {
            return "failed with " + fault.getMessage();
        }

        @Override
        protected String cancelled(String why) {
            return "cancelled";
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void taskWhoseRetryCannotBeScheduledFails(boolean keepsPermit) {
        Dispatcher dispatcher = dispatcher();
        Retrying task = new Retrying(keepsPermit);
        dispatcher.submit("g", task);
        Group group = dispatcher.groups().iterator().next();
        timerFails = true;
        ignoringErrors(started.remove());
        timerFails = false;
        assertThat(task.isCompleted()).isTrue();
        assertThat(task.completion().join()).isEqualTo("failed with unable to create native thread");
        assertThat(group.active()).isZero();
        assertThat(group.awaitingRetryCount()).isZero();
        dispatcher.close();
        assertThat(group.isRetired()).as("nothing is left in it").isTrue();
    }

    /** Whether the caller is told, or the task fails, is open. */
    /** The thread that finds a retired group in a ready queue may have permits in hand. */
    @Test
    void groupThatRetiresInTheReadyQueueIsForgotten() {
        clock.advance(1);
        Dispatcher dispatcher = new Dispatcher(
                key -> new GroupLimits(1, UNLIMITED, UNLIMITED),
                1,
                UNLIMITED,
                0,
                new WeightedRoundRobin(),
                started::add,
                timer);
        dispatcher.submit("running", new TestTask(() -> {}));
        TestTask queued = new TestTask(() -> {});
        dispatcher.submit("gone", queued);
        timerFails = true;
        queued.cancel(false, "the only one of its group");
        assertThat(queued.isCompleted()).isTrue();
        assertThat(dispatcher.groups()).extracting(Group::key).containsExactly("running");

        timerFails = false;
        TestTask next = new TestTask(() -> {});
        dispatcher.submit("next", next);
        started.remove().run();
        started.remove().run();
        assertThat(next.isCompleted()).isTrue();
    }

    private static void ignoringErrors(Runnable action) {
        try {
            action.run();
        } catch (OutOfMemoryError e) {
            assertThat(e).hasMessageContaining("native thread");
        }
    }
}
