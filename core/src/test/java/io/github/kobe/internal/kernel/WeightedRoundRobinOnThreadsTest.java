package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.SystemTimer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@link WeightedRoundRobin} with dispatching threads that compete. */
class WeightedRoundRobinOnThreadsTest {

    private static final int SUBMITTERS = 4;
    private static final int GLOBAL_LIMIT = 4;
    private static final int STARTS = 10_000;

    /** The group of each start, in order. Both groups still have queued tasks after the first {@link #STARTS}. */
    private final byte[] log = new byte[4 * STARTS];

    private final AtomicInteger started = new AtomicInteger();
    private final CountDownLatch open = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(log.length);
    private final Dispatcher dispatcher = new Dispatcher(
            key -> new GroupLimits(64, 64, Integer.MAX_VALUE),
            GLOBAL_LIMIT,
            Integer.MAX_VALUE,
            Long.MAX_VALUE,
            new WeightedRoundRobin(),
            TaskRunner.freshVirtualThreads(),
            SystemTimer.shared());

    @Test
    void startsFollowTheWeightsWhileBothGroupsHaveQueuedTasks() throws Exception {
        for (int i = 0; i < GLOBAL_LIMIT; i++) {
            dispatcher.submit("blocker", new TestTask(this::awaitOpening)); // until all other tasks are queued
        }
        List<Thread> submitters = new ArrayList<>();
        for (int i = 0; i < SUBMITTERS; i++) {
            submitters.add(Thread.startVirtualThread(this::submit));
        }
        for (Thread submitter : submitters) {
            submitter.join();
        }
        Objects.requireNonNull(dispatcher.group("heavy")).fairnessState().setWeight(3);
        open.countDown();
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        dispatcher.stop();
        int heavy = IntStream.range(0, STARTS).map(i -> log[i]).sum();
        assertThat((double) heavy / (STARTS - heavy)).isCloseTo(3, withinPercentage(2));
    }

    private void submit() {
        for (int i = 0; i < log.length / 2 / SUBMITTERS; i++) {
            dispatcher.submit("heavy", new TestTask(() -> note(1)));
            dispatcher.submit("light", new TestTask(() -> note(0)));
        }
    }

    private void note(int heavy) {
        log[started.getAndIncrement()] = (byte) heavy;
        done.countDown();
    }

    private void awaitOpening() {
        try {
            open.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
