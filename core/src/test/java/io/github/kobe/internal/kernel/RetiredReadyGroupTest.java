package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.Competitor;
import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A group that retires while it is being added to the ready queue is removed from it. */
class RetiredReadyGroupTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long A_WHILE = TimeUnit.SECONDS.toNanos(1);

    private final FakeTimer timer = new FakeTimer();
    private final Deque<Competitor> readyGroups = new ArrayDeque<>();
    private Runnable beforeAdd = () -> {};

    private final Dispatcher dispatcher = new Dispatcher(
            key -> new GroupLimits(1, UNLIMITED, UNLIMITED),
            1,
            UNLIMITED,
            0,
            new ReadyQueue() {
                @Override
                public void add(Competitor group) {
                    beforeAdd.run();
                    readyGroups.add(group);
                }

                @Override
                public @Nullable Competitor poll() {
                    return readyGroups.poll();
                }

                @Override
                public boolean isEmpty() {
                    return readyGroups.isEmpty();
                }
            },
            work -> {},
            timer);

    private SimulatedTask submit(String key, SimulatedTask task) {
        assertThat(dispatcher.submit(key, task)).isEqualTo(Admission.ADMITTED);
        return task;
    }

    @Test
    void retiredGroupIsRemovedAlthoughTheFirstSweepCameTooEarly() {
        submit("running", new SimulatedTask("running", 0, SimulatedTask.CompletionListening.NONE));
        SimulatedTask gone = new SimulatedTask("gone", 1, SimulatedTask.CompletionListening.NONE);
        beforeAdd = () -> {
            gone.cancel(false, "the only one of its group");
            timer.advance(A_WHILE); // the sweep of the ready queue finds nothing yet
        };
        submit("gone", gone);
        assertThat(readyGroups).as("retired, and added all the same").hasSize(1);
        timer.advance(A_WHILE);
        assertThat(readyGroups).isEmpty();
    }
}
