package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A submitter that is suspended before or after it has linked its task blocks no other task. */
class BlockedSubmitterTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;

    /** The queue of a group, which can pause before and after it links a task. */
    private static final class PausingTaskQueue extends TaskQueue {
        private volatile Consumer<KernelTask<?>> beforeLinking = task -> {};
        private volatile Consumer<KernelTask<?>> afterLinking = task -> {};

        @Override
        void add(KernelTask<?> task) {
            beforeLinking.accept(task);
            super.add(task);
            afterLinking.accept(task);
        }
    }

    private final SimulatedTask sleeper = new SimulatedTask("g", 100, SimulatedTask.CompletionListening.NONE);
    private final CountDownLatch asleep = new CountDownLatch(1);
    private final CountDownLatch wake = new CountDownLatch(1);
    private StepDispatcher runner;
    private Thread submitter;
    private SimulatedTask running;
    private SimulatedTask behind;

    @BeforeEach
    void startOneTaskOnTheOnlyPermit() {
        runner = new StepDispatcher(1, UNLIMITED, 0);
        running = runner.submit("g");
    }

    @AfterEach
    void allTasksComplete() throws Exception {
        wake.countDown();
        submitter.join();
        while (runner.running() > 0) {
            runner.finishOldest();
        }
        assertThat(sleeper.isCompleted() && behind.isCompleted()).isTrue();
        assertThat(runner.dispatcher.groups()).isEmpty();
    }

    private void sleep(boolean beforeLinking) throws Exception {
        PausingTaskQueue queue = new PausingTaskQueue();
        Consumer<KernelTask<?>> pause = task -> {
            if (task == sleeper) {
                asleep.countDown();
                await(wake);
            }
        };
        if (beforeLinking) {
            queue.beforeLinking = pause;
        } else {
            queue.afterLinking = pause;
        }
        runner.dispatcher.group("g").queue = queue;
        submitter = Thread.startVirtualThread(() -> runner.dispatcher.submit("g", sleeper));
        await(asleep);
        behind = runner.submit("g");
    }

    @Test
    void suspendedBeforeLinkingIsOvertakenByTheNextTask() throws Exception {
        sleep(true);
        runner.finish(running);
        assertThat(runner.runs(behind)).isTrue();
    }

    @Test
    void suspendedAfterLinkingStartsInOrder() throws Exception {
        sleep(false);
        runner.finish(running);
        assertThat(runner.runs(sleeper)).isTrue();
        runner.finish(sleeper);
        assertThat(runner.runs(behind)).as("next task of an idle group").isTrue();
    }

    @Test
    void laterTaskDoesNotOvertake() throws Exception {
        sleep(false);
        runner.finish(running);
        SimulatedTask later = runner.submit("g");
        assertThat(runner.runs(later)).isFalse();
        runner.finish(sleeper);
        assertThat(runner.runs(behind)).isTrue();
        assertThat(runner.runs(later)).isFalse();
    }

    @Test
    void groupDoesNotRetireWhileATaskIsBeingEnqueued() throws Exception {
        sleep(true);
        Group group = runner.dispatcher.group("g");
        runner.finish(running);
        runner.finish(behind);
        assertThat(runner.dispatcher.group("g"))
                .as("with a task that is being enqueued")
                .isSameAs(group);
        wake.countDown();
        submitter.join();
        assertThat(runner.runs(sleeper)).isTrue();
    }

    @Test
    void drainWaitsForATaskThatIsBeingEnqueued() throws Exception {
        sleep(true);
        runner.dispatcher.close();
        runner.finish(running);
        runner.finish(behind);
        assertThat(runner.dispatcher.awaitTermination(0)).isFalse();
        wake.countDown();
        submitter.join();
        runner.finish(sleeper);
        assertThat(runner.dispatcher.awaitTermination(0)).isTrue();
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(30, TimeUnit.SECONDS)) {
                throw new AssertionError("timed out");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
