package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A submitter that is suspended before or after it has linked its ticket is in nobody's way, and nobody is in its. */
class BlockedSubmitterTest {

    private static final int NO_CAP = Integer.MAX_VALUE;

    /** A group's queue, with a pause where a scheduler might put one. */
    private static final class PausingTaskQueue extends TaskQueue {
        private volatile Consumer<KernelTask<?>> beforeLinking = ticket -> {};
        private volatile Consumer<KernelTask<?>> afterLinking = ticket -> {};

        @Override
        void add(KernelTask<?> ticket) {
            beforeLinking.accept(ticket);
            super.add(ticket);
            afterLinking.accept(ticket);
        }
    }

    private final SimulatedTask sleeper = new SimulatedTask("g", 100, SimulatedTask.CompletionListening.NOT_AT_ALL);
    private final CountDownLatch asleep = new CountDownLatch(1);
    private final CountDownLatch wake = new CountDownLatch(1);
    private StepRunner crank;
    private Thread submitter;
    private SimulatedTask running;
    private SimulatedTask behind;

    @BeforeEach
    void onePlaceOneRunning() {
        crank = new StepRunner(1, NO_CAP, 0);
        running = crank.submit("g");
    }

    @AfterEach
    void everythingEndsAllTheSame() throws Exception {
        wake.countDown();
        submitter.join();
        while (crank.running() > 0) {
            crank.finishOldest();
        }
        assertThat(sleeper.isCompleted() && behind.isCompleted()).isTrue();
        assertThat(crank.dispatcher.groups()).isEmpty();
    }

    private void sleep(boolean beforeLinking) throws Exception {
        PausingTaskQueue line = new PausingTaskQueue();
        Consumer<KernelTask<?>> pause = ticket -> {
            if (ticket == sleeper) {
                asleep.countDown();
                await(wake);
            }
        };
        if (beforeLinking) {
            line.beforeLinking = pause;
        } else {
            line.afterLinking = pause;
        }
        crank.dispatcher.group("g").queue = line;
        submitter = Thread.startVirtualThread(() -> crank.dispatcher.submit("g", sleeper));
        await(asleep);
        behind = crank.submit("g");
    }

    @Test
    void asleepBeforeLinkingTheNextInLineGoesFirst() throws Exception {
        sleep(true);
        crank.finish(running);
        assertThat(crank.runs(behind)).isTrue();
    }

    @Test
    void asleepAfterLinkingItIsStartedInItsTurnAndSoIsTheNext() throws Exception {
        sleep(false);
        crank.finish(running);
        assertThat(crank.runs(sleeper)).isTrue();
        crank.finish(sleeper);
        assertThat(crank.runs(behind)).as("the group is idle, and it is next").isTrue();
    }

    @Test
    void laterOneDoesNotOvertake() throws Exception {
        sleep(false);
        crank.finish(running);
        SimulatedTask later = crank.submit("g");
        assertThat(crank.runs(later)).isFalse();
        crank.finish(sleeper);
        assertThat(crank.runs(behind)).isTrue();
        assertThat(crank.runs(later)).isFalse();
    }

    @Test
    void groupIsNotForgottenWhileItIsOnItsWay() throws Exception {
        sleep(true);
        Group group = crank.dispatcher.group("g");
        crank.finish(running);
        crank.finish(behind);
        assertThat(crank.dispatcher.group("g")).as("with a ticket to come").isSameAs(group);
        wake.countDown();
        submitter.join();
        assertThat(crank.runs(sleeper)).isTrue();
    }

    @Test
    void drainWaitsForIt() throws Exception {
        sleep(true);
        crank.dispatcher.close();
        crank.finish(running);
        crank.finish(behind);
        assertThat(crank.dispatcher.awaitTermination(0)).isFalse();
        wake.countDown();
        submitter.join();
        crank.finish(sleeper);
        assertThat(crank.dispatcher.awaitTermination(0)).isTrue();
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("waited in vain");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
