package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A global limit that is set for the first time loses no permit and no task, whatever is in progress at that moment. */
@Timeout(60)
class LateGlobalLimitTest {

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final Runnable NOTHING = () -> {};

    private final StepDispatcher runner = new StepDispatcher(
            key -> new GroupLimits(1, UNLIMITED, UNLIMITED),
            new DispatcherConfig(UNLIMITED, 0, Long.MAX_VALUE, false, false));
    private final List<SimulatedTask> tasks = new ArrayList<>();

    /** A task queue that runs an action once at a critical moment. */
    private static final class InterruptedTaskQueue extends TaskQueue {
        private final AtomicReference<Runnable> beforeLinking = new AtomicReference<>(NOTHING);
        private final AtomicReference<Runnable> beforeTaking = new AtomicReference<>(NOTHING);
        private final AtomicReference<Runnable> afterTaking = new AtomicReference<>(NOTHING);

        @Override
        void add(KernelTask<?> task) {
            beforeLinking.getAndSet(NOTHING).run();
            super.add(task);
        }

        @Override
        @Nullable
        KernelTask<?> poll() {
            beforeTaking.getAndSet(NOTHING).run();
            KernelTask<?> task = super.poll();
            afterTaking.getAndSet(NOTHING).run();
            return task;
        }
    }

    private SimulatedTask submit(String key) {
        SimulatedTask task = runner.submit(key);
        tasks.add(task);
        return task;
    }

    private Admission ask(String key) {
        return runner.dispatcher.submit(key, new SimulatedTask(key, 1000, SimulatedTask.CompletionListening.NONE));
    }

    private InterruptedTaskQueue interruptQueueOf(String key) throws Exception {
        InterruptedTaskQueue queue = new InterruptedTaskQueue();
        runner.dispatcher.group(key).queue = queue;
        return queue;
    }

    private void setGlobalLimit() {
        runner.dispatcher.setGlobalLimit(2);
    }

    /**
     * With two global permits and a group limit of one: one task runs, one may be queued for its group, and the next is rejected.
     */
    @AfterEach
    void limiterCountsCorrectly() {
        while (runner.running() > 0) {
            runner.finishOldest();
        }
        assertThat(tasks).allMatch(SimulatedTask::isCompleted);
        assertThat(runner.dispatcher.globalInFlight()).isZero();
        assertThat(runner.dispatcher.globalLimit()).isEqualTo(2);
        submit("fresh");
        submit("fresh");
        assertThat(ask("fresh")).isEqualTo(Admission.GLOBAL_QUEUE_FULL);
        submit("other");
        assertThat(runner.running()).isEqualTo(2);
        assertThat(ask("third")).isEqualTo(Admission.GLOBAL_QUEUE_FULL);
    }

    @Test
    void setWhileACompletionDequeuesTheNextTask() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue queue = interruptQueueOf("g");
        SimulatedTask next = submit("g");
        queue.beforeTaking.set(this::setGlobalLimit);
        runner.finish(running);
        assertThat(runner.runs(next)).isTrue();
        assertThat(runner.dispatcher.globalInFlight()).isEqualTo(1);
    }

    @Test
    void setAfterACompletionDequeuedTheNextTask() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue queue = interruptQueueOf("g");
        SimulatedTask next = submit("g");
        queue.afterTaking.set(this::setGlobalLimit);
        runner.finish(running);
        assertThat(runner.runs(next)).isTrue();
        assertThat(runner.dispatcher.globalInFlight()).isEqualTo(1);
    }

    @Test
    void setWhileACompletionFindsNoLinkedTaskYet() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue queue = interruptQueueOf("g");
        queue.beforeLinking.set(() -> {
            queue.beforeTaking.set(this::setGlobalLimit);
            runner.finish(running);
            assertThat(runner.running()).isZero();
        });
        SimulatedTask next = submit("g");
        assertThat(runner.runs(next)).isTrue();
    }

    @Test
    void setAfterACompletionFoundNoLinkedTaskYet() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue queue = interruptQueueOf("g");
        queue.beforeLinking.set(() -> {
            queue.afterTaking.set(this::setGlobalLimit);
            runner.finish(running);
        });
        SimulatedTask next = submit("g");
        assertThat(runner.runs(next)).isTrue();
    }

    @Test
    void setWhileATaskIsCountedAndNotLinked() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue queue = interruptQueueOf("g");
        queue.beforeLinking.set(this::setGlobalLimit);
        SimulatedTask next = submit("g");
        runner.finish(running);
        assertThat(runner.runs(next)).isTrue();
    }

    @Test
    void setWhileARaisedLimitStartsTasks() throws Exception {
        submit("g");
        InterruptedTaskQueue queue = interruptQueueOf("g");
        SimulatedTask second = submit("g");
        SimulatedTask third = submit("g");
        queue.beforeTaking.set(this::setGlobalLimit);
        runner.dispatcher.changeLimits("g", before -> new GroupLimits(3, UNLIMITED, UNLIMITED));
        assertThat(runner.runs(second))
                .as("dequeued before the global limit was set")
                .isTrue();
        assertThat(runner.runs(third)).as("still queued then").isFalse();
        assertThat(runner.dispatcher.globalInFlight()).isEqualTo(2);
        runner.dispatcher.changeLimits("g", before -> new GroupLimits(1, UNLIMITED, UNLIMITED));
    }

    @Test
    void setBeforeAQueuedTaskIsCancelled() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue queue = interruptQueueOf("g");
        SimulatedTask cancelled = submit("g");
        queue.beforeTaking.set(() -> {
            setGlobalLimit();
            cancelled.cancel(false, "while another thread dispatches the group");
        });
        runner.finish(running);
        assertThat(runner.running()).isZero();
    }

    @Test
    void setAfterAQueuedTaskIsCancelled() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue queue = interruptQueueOf("g");
        SimulatedTask cancelled = submit("g");
        queue.beforeTaking.set(() -> {
            cancelled.cancel(false, "while another thread dispatches the group");
            setGlobalLimit();
        });
        runner.finish(running);
        assertThat(runner.running()).isZero();
    }

    /** The global limit applies to all groups but one, whose monitor this test holds. */
    @Test
    void whileItIsBeingSetNoTaskIsRejectedOrStartedTooEarly() throws Exception {
        submit("g");
        Group held = runner.dispatcher.group("g");
        CountDownLatch done = new CountDownLatch(1);
        Thread setter = new Thread(() -> {
            setGlobalLimit();
            done.countDown();
        });
        SimulatedTask fresh;
        synchronized (held) {
            setter.start();
            while (setter.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            assertThat(runner.dispatcher.globalLimit()).as("not in force yet").isEqualTo(UNLIMITED);
            fresh = submit("fresh during the change"); // throws if the task is rejected
            assertThat(runner.runs(fresh)).isFalse();
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        setter.join();
        assertThat(runner.runs(fresh)).as("without another submit").isTrue();
        assertThat(runner.dispatcher.globalInFlight()).isEqualTo(2);
    }

    @Test
    void secondSetterWaitsForTheFirst() throws Exception {
        submit("g");
        Group held = runner.dispatcher.group("g");
        List<Thread> setters = List.of(new Thread(this::setGlobalLimit), new Thread(this::setGlobalLimit));
        synchronized (held) {
            setters.forEach(Thread::start);
            for (Thread setter : setters) {
                while (setter.getState() != Thread.State.BLOCKED) {
                    Thread.onSpinWait();
                }
            }
        }
        for (Thread setter : setters) {
            setter.join();
        }
        assertThat(runner.dispatcher.globalInFlight()).isEqualTo(1);
    }
}
