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

/** Is a group that retires on its way into the ready queue found there? */
class RetiredReadyGroupTest {

    private static final int NO_CAP = Integer.MAX_VALUE;
    private static final long A_WHILE = TimeUnit.SECONDS.toNanos(1);

    private final FakeTimer timer = new FakeTimer();
    private final Deque<Competitor> ring = new ArrayDeque<>();
    private Runnable beforeTheNextIsIn = () -> {};

    private final Dispatcher dispatcher = new Dispatcher(
            key -> new GroupLimits(1, NO_CAP, NO_CAP),
            1,
            NO_CAP,
            0,
            new ReadyQueue() {
                @Override
                public void add(Competitor group) {
                    beforeTheNextIsIn.run();
                    ring.add(group);
                }

                @Override
                public @Nullable Competitor poll() {
                    return ring.poll();
                }

                @Override
                public boolean isEmpty() {
                    return ring.isEmpty();
                }
            },
            work -> {},
            timer);

    private SimulatedTask submit(String key, SimulatedTask ticket) {
        assertThat(dispatcher.submit(key, ticket)).isEqualTo(Admission.ADMITTED);
        return ticket;
    }

    @Test
    void itIsTakenOutThoughTheOneWhoLookedForItCameTooEarly() {
        submit("running", new SimulatedTask("running", 0, SimulatedTask.CompletionListening.NOT_AT_ALL));
        SimulatedTask gone = new SimulatedTask("gone", 1, SimulatedTask.CompletionListening.NOT_AT_ALL);
        beforeTheNextIsIn = () -> {
            gone.cancel(false, "the only one of its group");
            timer.advance(A_WHILE); // and the look at the ready queue finds nothing
        };
        submit("gone", gone);
        assertThat(ring).as("it is no more, and was put in all the same").hasSize(1);
        timer.advance(A_WHILE);
        assertThat(ring).isEmpty();
    }
}
