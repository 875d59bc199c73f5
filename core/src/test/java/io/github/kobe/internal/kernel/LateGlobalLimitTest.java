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

/** A gate that comes while a ticket is in somebody's hands, or while it is being put over the groups, loses and forgets nothing. */
@Timeout(60)
class LateGlobalLimitTest {

    private static final int NO_CAP = Integer.MAX_VALUE;
    private static final Runnable NOTHING = () -> {};

    private final StepRunner crank = new StepRunner(
            key -> new GroupLimits(1, NO_CAP, NO_CAP), new DispatcherConfig(NO_CAP, 0, Long.MAX_VALUE, false, false));
    private final List<SimulatedTask> tickets = new ArrayList<>();

    /** A line in which something happens at the worst of moments, once. */
    private static final class InterruptedTaskQueue extends TaskQueue {
        private final AtomicReference<Runnable> beforeLinking = new AtomicReference<>(NOTHING);
        private final AtomicReference<Runnable> beforeTaking = new AtomicReference<>(NOTHING);
        private final AtomicReference<Runnable> afterTaking = new AtomicReference<>(NOTHING);

        @Override
        void add(KernelTask<?> ticket) {
            beforeLinking.getAndSet(NOTHING).run();
            super.add(ticket);
        }

        @Override
        @Nullable
        KernelTask<?> poll() {
            beforeTaking.getAndSet(NOTHING).run();
            KernelTask<?> ticket = super.poll();
            afterTaking.getAndSet(NOTHING).run();
            return ticket;
        }
    }

    private SimulatedTask submit(String key) {
        SimulatedTask ticket = crank.submit(key);
        tickets.add(ticket);
        return ticket;
    }

    private Admission ask(String key) {
        return crank.dispatcher.submit(key, new SimulatedTask(key, 1000, SimulatedTask.CompletionListening.NOT_AT_ALL));
    }

    private InterruptedTaskQueue busyLine(String key) throws Exception {
        InterruptedTaskQueue line = new InterruptedTaskQueue();
        crank.dispatcher.group(key).queue = line;
        return line;
    }

    private void setCap() {
        crank.dispatcher.setGlobalLimit(2);
    }

    /** Two places: with one task of a group of one running, one more may wait for its group, and no third. */
    @AfterEach
    void gateHasCountedRightly() {
        while (crank.running() > 0) {
            crank.finishOldest();
        }
        assertThat(tickets).allMatch(SimulatedTask::isCompleted);
        assertThat(crank.dispatcher.globalInFlight()).isZero();
        assertThat(crank.dispatcher.globalLimit()).isEqualTo(2);
        submit("fresh");
        submit("fresh");
        assertThat(ask("fresh")).isEqualTo(Admission.GLOBAL_QUEUE_FULL);
        submit("other");
        assertThat(crank.running()).isEqualTo(2);
        assertThat(ask("third")).isEqualTo(Admission.GLOBAL_QUEUE_FULL);
    }

    @Test
    void whileOneWhoEndsTakesTheNext() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue line = busyLine("g");
        SimulatedTask next = submit("g");
        line.beforeTaking.set(this::setCap);
        crank.finish(running);
        assertThat(crank.runs(next)).isTrue();
        assertThat(crank.dispatcher.globalInFlight()).isEqualTo(1);
    }

    @Test
    void whenOneWhoEndsHasTakenTheNext() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue line = busyLine("g");
        SimulatedTask next = submit("g");
        line.afterTaking.set(this::setCap);
        crank.finish(running);
        assertThat(crank.runs(next)).isTrue();
        assertThat(crank.dispatcher.globalInFlight()).isEqualTo(1);
    }

    @Test
    void whileOneWhoEndsFindsNothingLinkedYet() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue line = busyLine("g");
        line.beforeLinking.set(() -> {
            line.beforeTaking.set(this::setCap);
            crank.finish(running);
            assertThat(crank.running()).isZero();
        });
        SimulatedTask next = submit("g");
        assertThat(crank.runs(next)).isTrue();
    }

    @Test
    void whenOneWhoEndsHasFoundNothingLinkedYet() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue line = busyLine("g");
        line.beforeLinking.set(() -> {
            line.afterTaking.set(this::setCap);
            crank.finish(running);
        });
        SimulatedTask next = submit("g");
        assertThat(crank.runs(next)).isTrue();
    }

    @Test
    void whileATicketIsCountedAndNotLinked() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue line = busyLine("g");
        line.beforeLinking.set(this::setCap);
        SimulatedTask next = submit("g");
        crank.finish(running);
        assertThat(crank.runs(next)).isTrue();
    }

    @Test
    void whileRaisedLimitsAreFilled() throws Exception {
        submit("g");
        InterruptedTaskQueue line = busyLine("g");
        SimulatedTask second = submit("g");
        SimulatedTask third = submit("g");
        line.beforeTaking.set(this::setCap);
        crank.dispatcher.changeLimits("g", before -> new GroupLimits(3, NO_CAP, NO_CAP));
        assertThat(crank.runs(second)).as("it was in hand before the gate came").isTrue();
        assertThat(crank.runs(third)).as("it was not").isFalse();
        assertThat(crank.dispatcher.globalInFlight()).isEqualTo(2);
        crank.dispatcher.changeLimits("g", before -> new GroupLimits(1, NO_CAP, NO_CAP));
    }

    @Test
    void whileATicketInLineIsCancelled() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue line = busyLine("g");
        SimulatedTask cancelled = submit("g");
        line.beforeTaking.set(() -> {
            setCap();
            cancelled.cancel(false, "while its count is in another's hands");
        });
        crank.finish(running);
        assertThat(crank.running()).isZero();
    }

    @Test
    void cancelledJustBefore() throws Exception {
        SimulatedTask running = submit("g");
        InterruptedTaskQueue line = busyLine("g");
        SimulatedTask cancelled = submit("g");
        line.beforeTaking.set(() -> {
            cancelled.cancel(false, "while its count is in another's hands");
            setCap();
        });
        crank.finish(running);
        assertThat(crank.running()).isZero();
    }

    /** The gate stands over all groups but one, whose monitor it is kept from. */
    @Test
    void whileItIsBeingPutOverTheGroupsNobodyIsTurnedAwayOrLetPast() throws Exception {
        submit("g");
        Group held = crank.dispatcher.group("g");
        CountDownLatch done = new CountDownLatch(1);
        Thread setter = new Thread(() -> {
            setCap();
            done.countDown();
        });
        SimulatedTask fresh;
        synchronized (held) {
            setter.start();
            while (setter.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            assertThat(crank.dispatcher.globalLimit()).as("not in force yet").isEqualTo(NO_CAP);
            fresh = submit("fresh from the midst of it"); // a rejection would throw
            assertThat(crank.runs(fresh)).isFalse();
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        setter.join();
        assertThat(crank.runs(fresh)).as("without another submit").isTrue();
        assertThat(crank.dispatcher.globalInFlight()).isEqualTo(2);
    }

    @Test
    void secondCapWaitsForTheGateOfTheFirst() throws Exception {
        submit("g");
        Group held = crank.dispatcher.group("g");
        List<Thread> setters = List.of(new Thread(this::setCap), new Thread(this::setCap));
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
        assertThat(crank.dispatcher.globalInFlight()).isEqualTo(1);
    }
}
