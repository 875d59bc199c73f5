package io.github.kobe.internal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A group of its own, which no map knows: for a face that has one group at a time, and waits for its end. Any number of them share
 * a dispatcher, and with it threads and a timer.
 */
public final class Enclosure extends Group {

    private final CountDownLatch terminated = new CountDownLatch(1);

    /**
     * @param name what its threads are called
     * @param cap the most tickets that may run at once
     */
    public Enclosure(String name, int cap, Dispatcher dispatcher) {
        super(name, new Limits(cap, Integer.MAX_VALUE, Integer.MAX_VALUE), dispatcher, false, true);
    }

    /**
     * Starts the ticket, or puts it in line.
     *
     * @return false after a {@link #shut}
     */
    public boolean submit(Ticket<?> ticket) {
        return admit(ticket) == Admission.ADMITTED;
    }

    /** How many tickets it has let in. */
    public long admittedSoFar() {
        return admitted;
    }

    /** Cancels all that was submitted before, and returns when it has ended for all who look. It takes more. */
    public void stopAll(String why) {
        stop(why).forEach(Ticket::awaitAnnouncement);
    }

    /** Takes no more tickets; what is here goes on. */
    public void shut() {
        close();
    }

    /** Shows every ticket that is in line or on a thread for the whole of the call, and maybe others. */
    public void forEach(Consumer<Ticket<?>> action) {
        forEachTicket(action);
    }

    /** Waits until no ticket is on a thread, in line or between two attempts; only ever true after {@link #shut}. */
    public boolean awaitTermination(long nanos) throws InterruptedException {
        return terminated.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Its counts stay its own. */
    @Override
    void bequeath() {}

    @Override
    void retired(boolean inReadyQueue) {
        terminated.countDown();
    }
}
