package io.github.kobe;

import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.PermitRequest;
import io.github.kobe.internal.kernel.PermitRequest.Result;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Places for threads that do their work themselves. */
final class PermitAcquirer {

    /** What errors call a task that has no name of its own. */
    private static final String NAME = "permit";

    private final AdmissionControl entrance;

    PermitAcquirer(AdmissionControl entrance) {
        this.entrance = entrance;
    }

    Permit acquire(String key) throws InterruptedException {
        PermitRequest ticket = new PermitRequest();
        Rejection refusal = enter(key, ticket, Long.MAX_VALUE);
        if (refusal != null) {
            throw rejected(key, ticket, refusal);
        }
        return new Permit(key, ticket);
    }

    /** Null if there was none in time, or no room to wait for one. */
    @Nullable
    Permit tryAcquire(String key, long nanos) throws InterruptedException {
        PermitRequest ticket = new PermitRequest();
        Rejection refusal = enter(key, ticket, nanos);
        if (refusal == null) {
            return ticket.isGranted() ? new Permit(key, ticket) : null;
        }
        RejectedTaskException rejected = rejected(key, ticket, refusal); // counted, if not thrown
        if (refusal.reason() == RejectionReason.SHUT_DOWN) {
            throw rejected;
        }
        return null;
    }

    <T> T call(String key, Callable<T> task) throws Exception {
        PermitRequest ticket = new PermitRequest();
        Rejection refusal = enter(key, ticket, Long.MAX_VALUE);
        if (refusal == null) {
            return call(task, ticket::release);
        }
        if (refusal.reason() != RejectionReason.SHUT_DOWN && entrance.callerRuns()) {
            return call(task, ticket::countAs);
        }
        throw rejected(key, ticket, refusal);
    }

    /** @param end told the slot of how it ended */
    private static <T> T call(Callable<T> task, IntConsumer end) throws Exception {
        int slot = CounterSlots.FAILED;
        try {
            T value = task.call();
            slot = CounterSlots.SUCCEEDED;
            return value;
        } catch (InterruptedException | CancellationException e) {
            slot = CounterSlots.CANCELLED;
            throw e;
        } finally {
            end.accept(slot);
        }
    }

    /** Null if it has its place, or if the time is over; else why it will not get one. */
    private @Nullable Rejection enter(String key, PermitRequest ticket, long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long since = nanos == Long.MAX_VALUE && !entrance.blocks() ? 0 : System.nanoTime();
        Admission admission = entrance.submitCaller(key, ticket, nanos);
        if (admission == Admission.ADMITTED) {
            return ticket.isGranted() ? null : await(ticket, since == 0 ? nanos : left(nanos, since));
        }
        if (admission != Admission.CLOSED) {
            ticket.countAs(CounterSlots.TURNED_AWAY);
        }
        return entrance.rejection(ticket, admission, entrance.blocks() ? System.nanoTime() - since : 0);
    }

    private static long left(long nanos, long since) {
        return Math.max(0, nanos - (System.nanoTime() - since));
    }

    private @Nullable Rejection await(PermitRequest ticket, long nanos) throws InterruptedException {
        Result fate = Result.WITHDRAWN;
        try {
            fate = ticket.await(nanos);
        } finally {
            if (fate == Result.WITHDRAWN || fate == Result.STOPPED) {
                ticket.countAs(CounterSlots.CANCELLED);
            }
        }
        return switch (fate) {
            case GRANTED, WITHDRAWN -> null;
            case STOPPED -> entrance.rejection(ticket, Admission.CLOSED, 0);
            case DISPLACED -> RejectionFactory.of(RejectionReason.GROUP_QUEUE_FULL, ticket.group(), 0);
        };
    }

    /** One that was stopped was counted as cancelled, and one that came after a shutdown is not counted. */
    private static RejectedTaskException rejected(String key, PermitRequest ticket, Rejection refusal) {
        if (refusal.reason() != RejectionReason.SHUT_DOWN) {
            ticket.countAs(CounterSlots.rejected(refusal.reason()));
        }
        return new RejectedTaskException(key, NAME, refusal);
    }
}
