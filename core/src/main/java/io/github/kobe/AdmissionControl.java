package io.github.kobe;

import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.util.Durations;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Lets tickets in, as the policy has it, and sees to those for which there is no room. */
final class AdmissionControl {

    private final Dispatcher dispatcher;
    private final StatsReader census;
    private final RejectionPolicy policy;
    private final @Nullable RejectionHandler handler;
    private final long maxBlockNanos;
    private final int globalQueueThreshold;
    private final @Nullable ListenerNotifier announcer;
    private final Faults faults;

    /** Nobody listens, nobody waits and nobody is turned out for another: as most have it, and the shortest way in. */
    private final boolean plain;

    AdmissionControl(
            Dispatcher dispatcher,
            StatsReader census,
            GroupPolicy policy,
            @Nullable ListenerNotifier announcer,
            Faults faults) {
        this.dispatcher = dispatcher;
        this.census = census;
        this.policy = policy.rejectionPolicy();
        this.handler = policy.rejectionHandler();
        this.maxBlockNanos = Durations.saturatedNanos(policy.maxBlockTime());
        this.globalQueueThreshold = policy.globalQueueThreshold();
        this.announcer = announcer;
        this.faults = faults;
        this.plain = announcer == null && !is(RejectionPolicy.BLOCK) && !is(RejectionPolicy.DISCARD_OLDEST);
    }

    /** Whether a policy is set under which a submitter may have to wait. */
    static boolean blocks(GroupPolicy policy) {
        return policy.rejectionPolicy() == RejectionPolicy.BLOCK && policy.rejectionHandler() == null;
    }

    /** Whether one who finds no room waits for it. */
    boolean blocks() {
        return is(RejectionPolicy.BLOCK);
    }

    private boolean is(RejectionPolicy which) {
        return policy == which && handler == null;
    }

    /** Lets a task in, or gives it the end that the policy has for it; or throws if the executor was shut down before. */
    <T> GroupTaskImpl<T> submit(GroupTaskImpl<T> ticket) {
        if (plain) {
            Admission admission = dispatcher.submit(ticket.groupKey(), ticket);
            return admission == Admission.ADMITTED ? ticket : notAdmitted(ticket, admission, 0);
        }
        if (announcer != null) {
            requireOpen();
            announcer.submitted(ticket);
        }
        Admission admission;
        long since = 0;
        if (is(RejectionPolicy.BLOCK)) {
            requireOpen();
            since = System.nanoTime();
            admission = submitBlocking(ticket);
        } else {
            admission = submitAtOnce(ticket.groupKey(), ticket);
        }
        return admission == Admission.ADMITTED ? ticket : notAdmitted(ticket, admission, since);
    }

    /** @param since when it began to wait for room; 0 if it did not */
    private <T> GroupTaskImpl<T> notAdmitted(GroupTaskImpl<T> ticket, Admission admission, long since) {
        if (admission == Admission.CLOSED && since == 0) {
            throw shutDown(ticket);
        }
        ticket.countTurnedAway();
        return reject(ticket, rejection(ticket, admission, since == 0 ? 0 : System.nanoTime() - since));
    }

    private Admission submitAtOnce(String key, KernelTask<?> ticket) {
        return is(RejectionPolicy.DISCARD_OLDEST)
                ? dispatcher.submitDisplacing(key, ticket)
                : dispatcher.submit(key, ticket);
    }

    /** An interruption ends the waiting like the end of the time; the thread is told of it by its flag. */
    private Admission submitBlocking(GroupTaskImpl<?> ticket) {
        try {
            return dispatcher.submitBlocking(ticket.groupKey(), ticket, maxBlockNanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Admission.GROUP_QUEUE_FULL;
        }
    }

    /** Lets in a ticket of a thread that can be interrupted and has {@code nanos}; without any, it takes nobody else's place. */
    Admission submitCaller(String key, KernelTask<?> ticket, long nanos) throws InterruptedException {
        if (is(RejectionPolicy.BLOCK)) {
            return dispatcher.submitBlocking(key, ticket, Math.min(nanos, maxBlockNanos));
        }
        return nanos == 0 ? dispatcher.submit(key, ticket) : submitAtOnce(key, ticket);
    }

    /** Whether what is not let in runs on the calling thread. */
    boolean callerRuns() {
        return is(RejectionPolicy.CALLER_RUNS);
    }

    /** Whether a handler sees to what is not let in. */
    boolean hasHandler() {
        return handler != null;
    }

    private <T> GroupTaskImpl<T> reject(GroupTaskImpl<T> ticket, Rejection rejection) {
        if (callerRuns()) {
            ticket.runOnCaller();
            return ticket;
        }
        RejectedTask<T> rejected = new RejectedTask<>(ticket, rejection, announcer, handler, faults);
        if (handler != null) {
            if (dispatcher.submitDetached(rejected) == Admission.CLOSED) {
                endAsShutDown(rejected);
            }
        } else if (policy == RejectionPolicy.DISCARD) {
            rejected.discard();
        } else {
            rejected.abort();
        }
        return rejected;
    }

    /** Why a ticket was not let in, with the numbers of now; those of the group that it asked, which may be no more. */
    Rejection rejection(KernelTask<?> ticket, Admission why, long waitedNanos) {
        if (why == Admission.GLOBAL_QUEUE_FULL) {
            GroupExecutorStats all = census.ofAll();
            return new Rejection(
                    RejectionReason.GLOBAL_QUEUE_FULL,
                    all.globalInFlightUsed(),
                    all.totalQueuedCount(),
                    all.globalInFlightMax(),
                    globalQueueThreshold,
                    Duration.ofNanos(waitedNanos));
        }
        Group group = ticket.group();
        return RejectionFactory.of(reason(why, group), group, waitedNanos);
    }

    private static RejectionReason reason(Admission why, @Nullable Group group) {
        if (why == Admission.CLOSED) {
            return RejectionReason.SHUT_DOWN;
        }
        return group != null && group.limits().paused() ? RejectionReason.PAUSED : RejectionReason.GROUP_QUEUE_FULL;
    }

    // ---- after a shutdown ----------------------------------------------------------------------------------------

    void requireOpen() {
        if (dispatcher.isClosed()) {
            throw shutDown();
        }
    }

    private static IllegalStateException shutDown() {
        return new IllegalStateException("the executor is shut down");
    }

    private IllegalStateException shutDown(GroupTaskImpl<?> ticket) {
        if (announcer != null) {
            endAsShutDown(ticket); // it was announced, so its end is too
        }
        return shutDown();
    }

    private static <T> void endAsShutDown(GroupTaskImpl<T> ticket) {
        ticket.completeUnadmitted(ticket.cancelled("executor shut down"));
    }
}
