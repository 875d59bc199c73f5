package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.FairnessState;
import org.jspecify.annotations.Nullable;

/** The line of a group, and how a ticket that has a place gets from there to a thread. */
abstract class Starting extends HotFields.Padded {

    /** Some microseconds: several empty tickets, and less than waking a thread takes. */
    private static final int BACK_OFF_SPINS = 200;

    final String key;
    final Dispatcher dispatcher;
    final FairnessState fairnessState;
    private final TaskRunner runner;

    volatile GroupLimits limits; // written under the monitor
    volatile @Nullable TaskQueue queue; // made, under the monitor, when the first ticket has to wait

    Starting(String key, GroupLimits limits, Dispatcher dispatcher, TaskRunner runner, long flags) {
        this.key = key;
        this.limits = limits;
        this.dispatcher = dispatcher;
        this.runner = runner;
        this.fairnessState = dispatcher.readyQueue().newState();
        this.fairnessState.setWeight(limits.weight());
        this.state = GroupState.of(limits.effectiveLimit(), flags);
    }

    /** Not for use under a monitor: see {@link #backOff}. */
    final boolean casState(long from, long to) {
        return casStateNoBackOff(from, to) || backOff();
    }

    final boolean casStateNoBackOff(long from, long to) {
        return STATE.compareAndSet(this, from, to);
    }

    /**
     * Somebody else was at the word. Threads that go from ticket to ticket would meet there again and again, and moving it to and fro
     * between their cores would take longer than all the rest: so the one who came second lets the other get some tickets ahead. Threads
     * that are made for one ticket each come and go at different times, and would gain nothing.
     */
    private boolean backOff() {
        if (reusesThreads()) {
            for (int i = 0; i < BACK_OFF_SPINS; i++) {
                Thread.onSpinWait();
            }
        }
        return false;
    }

    /** Counts that it is let in; how many have been now. */
    final long countAdmitted(KernelTask<?> ticket) {
        long number = (long) ADMITTED.getAndAdd(this, 1L) + 1;
        ticket.admitted(number);
        return number;
    }

    /** As the dispatcher and the ready queue know it. */
    abstract Group asGroup();

    /** After a step that may have been the last: {@code w} is what it left. */
    abstract void retireIfDone(long w);

    /**
     * A ticket is off its thread: its place goes to the next in line, or back.
     *
     * @param start when the ticket had got it
     * @param now the time, which is when the next one gets its place; 0 to look at the clock if there is a next one
     */
    abstract void release(long start, long now);

    /** Whether anyone wants to know how long a place was held; if not, {@link #release} may be told 0 for both. */
    final boolean recordsPermitTimes() {
        return dispatcher.recordsTimes() || dispatcher.readyQueue().chargesTime();
    }

    final long now() {
        return dispatcher.now();
    }

    /** The time, if nobody has looked yet. */
    final long orNow(long time) {
        return time == 0 ? now() : time;
    }

    // ---- the line ------------------------------------------------------------------------------------------------

    final TaskQueue queue() {
        TaskQueue known = queue;
        return known == null ? createQueue() : known;
    }

    private synchronized TaskQueue createQueue() {
        TaskQueue known = queue;
        if (known == null) {
            known = new TaskQueue(dispatcher.ageing());
            queue = known;
        }
        return known;
    }

    /** With a count and a place in hand: the front ticket, or null if the one that they are for is not linked yet. */
    final @Nullable KernelTask<?> pollQueue() {
        KernelTask<?> ticket = queue().poll();
        if (ticket != null) {
            signalSubmitters();
        }
        return ticket;
    }

    /** Whoever waits to get in line may have a chance now. */
    final void signalSubmitters() {
        SubmitterQueue lobby = dispatcher.submitterQueue();
        if (lobby != null) {
            lobby.signal(key);
        }
    }

    // ---- threads -------------------------------------------------------------------------------------------------

    /** Starts a ticket. If false, there was no thread or no use for it, the ticket has ended, and the place is still the caller's. */
    final boolean start(KernelTask<?> ticket, long now) {
        try {
            return ticket.permitGranted(now) && ticket.launch(runner);
        } catch (Throwable fault) {
            ticket.startFailed(fault);
            return false;
        }
    }

    /** @param now 0 for a ticket that did not wait; its thread looks at the clock, which spares the submitter */
    final void startOrRelease(KernelTask<?> ticket, long now) {
        if (!start(ticket, now)) {
            long end = now();
            release(now == 0 ? end : now, end);
        }
    }

    /** A ticket that kept its place between two attempts. */
    void startRetry(KernelTask<?> ticket) {
        long start = ticket.startedAt();
        if (!start(ticket, start)) {
            release(start, now());
        }
    }

    /** Interrupts a ticket that was on {@code thread} when the caller looked. */
    void interrupt(Thread thread, KernelTask<?> ticket) {
        runner.interrupt(thread, ticket);
    }

    /** Whether the threads of its tickets have other work to go on to. */
    boolean reusesThreads() {
        return runner.reusesThreads();
    }

    /** Runs {@code work} off the calling thread; on it, if there is no other to be had. */
    void spawn(Runnable work) {
        try {
            runner.start(work);
        } catch (Throwable fault) {
            work.run();
        }
    }
}
