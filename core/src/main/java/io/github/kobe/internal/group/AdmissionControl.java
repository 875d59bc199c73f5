package io.github.kobe.internal.group;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.GroupPolicy;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionHandler;
import io.github.kobe.RejectionPolicy;
import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.kernel.LeaseControl;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Durations;
import org.jspecify.annotations.Nullable;

/** Submits tasks to the dispatcher, and applies the rejection policy to those that it does not admit. */
final class AdmissionControl {

    private static final int MAX_SUBMIT_ATTEMPTS = 3;

    private final String executorName;
    private final Dispatcher dispatcher;
    private final RejectionFactory rejections;
    private final RejectionPolicy policy;
    private final @Nullable RejectionHandler handler;
    private final long maxBlockNanos;
    private final ListenerRegistry listeners;
    private final ListenerNotifier notifier;
    private final @Nullable TaskInterceptor interceptor;
    private final Timer timer;

    private final boolean carriesContext;

    /** There is no interceptor and no context carrier, and a submit neither blocks nor displaces another task. This is the common case. */
    private final boolean plain;

    /** @param executorName the executor in messages, such as "group executor 'orders'" */
    AdmissionControl(
            String executorName,
            Dispatcher dispatcher,
            RejectionFactory rejections,
            GroupPolicy policy,
            ListenerRegistry listeners,
            ListenerNotifier notifier,
            @Nullable TaskInterceptor interceptor,
            Timer timer) {
        this.executorName = executorName;
        this.dispatcher = dispatcher;
        this.rejections = rejections;
        this.policy = policy.rejectionPolicy();
        this.handler = policy.rejectionHandler();
        this.maxBlockNanos = Durations.saturatedNanos(policy.maxBlockTime());
        this.listeners = listeners;
        this.notifier = notifier;
        this.interceptor = interceptor;
        this.timer = timer;
        this.carriesContext = policy.contextCarrier() != null;
        this.plain = interceptor == null
                && !carriesContext
                && !applies(RejectionPolicy.BLOCK)
                && !applies(RejectionPolicy.DISCARD_OLDEST);
    }

    /** Whether a submitter may block under {@code policy}. */
    static boolean blocks(GroupPolicy policy) {
        return policy.rejectionPolicy() == RejectionPolicy.BLOCK && policy.rejectionHandler() == null;
    }

    /** Whether a submitter waits if the queue is full. */
    boolean blocks() {
        return applies(RejectionPolicy.BLOCK);
    }

    /** Whether a rejected task runs on the calling thread. */
    boolean callerRuns() {
        return applies(RejectionPolicy.CALLER_RUNS);
    }

    private boolean applies(RejectionPolicy which) {
        return policy == which && handler == null;
    }

    /**
     * Submits a task. If it is not admitted, it completes as the rejection policy says.
     *
     * @return whether it was admitted
     * @throws ExecutorShutdownException if the executor was shut down before the task was admitted
     * @throws IllegalStateException if a resolver submits to its own group
     */
    boolean submit(GroupTaskImpl<?> task) {
        Admission admission;
        long blockedSince = 0;
        boolean announced = !listeners.isEmpty();
        if (plain && !announced) {
            admission = dispatcher.submit(task.groupKey(), task);
        } else {
            if (interceptor != null) {
                interceptor.beforeSubmit();
            }
            if (announced) {
                requireOpen(task);
                notifier.submitted(task);
            }
            if (carriesContext) {
                task.captureContext();
            }
            boolean closed = blocks() && isClosed(); // then it is not rejected as one that was blocked is
            if (blocks() && !closed) {
                blockedSince = timer.nanoTime();
            }
            admission = closed ? Admission.CLOSED : submitAndComplete(task, announced);
        }
        if (admission == Admission.ADMITTED) {
            return true;
        }
        if (waitsForFirstAnswer(admission, task.groupKey(), maxBlockNanos)) {
            blockedSince = timer.nanoTime();
            if (awaitFirstAnswer(task.groupKey())) {
                admission = submitAndComplete(task, announced);
                if (admission == Admission.ADMITTED) {
                    return true;
                }
            }
        }
        notAdmitted(task, admission, blockedSince, announced);
        return false;
    }

    /** For a submitter that gets an exception instead of a handle: throws it if {@code task} was rejected and the policy says so. */
    void throwIfRejected(GroupTaskImpl<?> task) {
        RejectedTaskException exception = applies(RejectionPolicy.THROW) ? task.rejectionException() : null;
        if (exception != null) {
            throw exception;
        }
    }

    /** @param announced whether a listener was told of the submit, so that it must be told of the outcome */
    private Admission submitAndComplete(GroupTaskImpl<?> task, boolean announced) {
        try {
            return blocks() ? submitBlocking(task) : submitNow(task.groupKey(), task);
        } catch (Throwable fault) { // a resolver submits to its own group
            task.staysWithSubmitter();
            if (announced) {
                task.countNotAdmitted(); // as its outcome is
                completeCancelled(task, "not submitted");
            }
            throw fault;
        }
    }

    /**
     * @param blockedSince when the submitter began to wait; 0 if it did not
     * @param announced as in {@link #submitAndComplete}
     */
    private void notAdmitted(GroupTaskImpl<?> task, Admission admission, long blockedSince, boolean announced) {
        task.staysWithSubmitter();
        if (admission == Admission.CLOSED && blockedSince == 0) {
            if (announced) {
                task.countNotAdmitted(); // as its outcome is
                completeShutDown(task);
            }
            throw shutDown(TaskDescription.of(task));
        }
        task.countNotAdmitted();
        if (callerRuns()) {
            task.runOnCaller();
            return;
        }
        task.reject(rejection(task, admission, blockedSince == 0 ? 0 : timer.nanoTime() - blockedSince));
        if (handler != null) {
            if (dispatcher.submitDetached(task) == Admission.CLOSED) {
                completeShutDown(task);
            }
        } else if (policy == RejectionPolicy.DISCARD) {
            task.discard();
        } else {
            task.abort();
        }
        if (admission == Admission.CLOSED) { // the submitter was blocked, and its task is counted as rejected
            task.asked();
            throw shutDown(TaskDescription.of(task));
        }
    }

    private Admission submitNow(String key, KernelTask<?> task) {
        if (interceptor != null) {
            return submitMakingRoom(key, task, interceptor);
        }
        return applies(RejectionPolicy.DISCARD_OLDEST)
                ? dispatcher.submitDisplacing(key, task)
                : dispatcher.submit(key, task);
    }

    /** Room that was made may be taken by another submitter, so this tries a few times. */
    private Admission submitMakingRoom(String key, KernelTask<?> task, TaskInterceptor roomMaker) {
        Admission admission = dispatcher.submit(key, task);
        for (int i = 1;
                i < MAX_SUBMIT_ATTEMPTS && admission == Admission.GLOBAL_QUEUE_FULL && roomMaker.makeRoomFor(key);
                i++) {
            admission = dispatcher.submit(key, task);
        }
        return admission;
    }

    /** If the submitter is interrupted, it stops waiting as if the time was over, and its interrupt flag is set again. */
    private Admission submitBlocking(GroupTaskImpl<?> task) {
        try {
            return dispatcher.submitBlocking(task.groupKey(), task, maxBlockNanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Admission.GROUP_QUEUE_FULL;
        }
    }

    /** Grants the request the permit of its group that the calling thread has, if it has one. */
    boolean tryShare(GroupPermit permit) {
        return dispatcher.tryShare(permit.groupKey(), permit);
    }

    /** Submits a permit request of a thread that waits for at most {@code nanos}. If that is 0, no queued task is displaced. */
    Admission submitPermitRequest(String key, KernelTask<?> request, long nanos) throws InterruptedException {
        return blocks()
                ? dispatcher.submitBlocking(key, request, Math.min(nanos, maxBlockNanos))
                : trySubmitPermitRequest(key, request, nanos);
    }

    /**
     * As {@link #submitPermitRequest}, without blocking. Where others would block, the request is not admitted, also if they block already
     * and there is room by now.
     */
    Admission trySubmitPermitRequest(String key, KernelTask<?> request, long nanos) {
        if (blocks()) {
            try {
                return dispatcher.submitBlocking(key, request, 0);
            } catch (InterruptedException e) {
                throw new AssertionError("it does not wait", e);
            }
        }
        if (interceptor != null) {
            interceptor.beforeSubmit();
        }
        return nanos == 0 ? dispatcher.submit(key, request) : submitNow(key, request);
    }

    /** Whether the time of a caller that waits for at most {@code nanos} is over before a blocked submitter gives up. */
    boolean expiresBlocked(long nanos) {
        return blocks() && nanos > 0 && nanos <= maxBlockNanos;
    }

    /** Why a task was not admitted, with the numbers of now. */
    Rejection rejection(KernelTask<?> task, Admission admission, long blockedNanos) {
        return rejections.notAdmitted(admission, task.group(), task.cost(), blockedNanos);
    }

    RejectionFactory rejections() {
        return rejections;
    }

    // ---- limits that are shared with other JVMs
    // -----------------------------------------------------------------------

    /**
     * Whether a task that was not admitted is worth a short wait, because the owner of leases has not said yet whether there are permits. Not if
     * the submitter was blocked for that before.
     *
     * @param maxBlockNanos for how long it may be blocked, under {@link RejectionPolicy#BLOCK}
     */
    boolean waitsForFirstAnswer(Admission admission, String key, long maxBlockNanos) {
        LeaseControl leases = dispatcher.leases();
        return leases != null && !(blocks() && maxBlockNanos > 0) && leases.isWorthAnotherTry(key, admission);
    }

    /** Whether the owner of leases has not said yet how many permits there are. */
    boolean awaitsFirstAnswer(String key) {
        LeaseControl leases = dispatcher.leases();
        return leases != null && leases.awaitsFirstAnswer(key);
    }

    /** Waits for the first answer, if there is none yet. Returns whether there is one. */
    boolean awaitFirstAnswer(String key, long nanos) throws InterruptedException {
        LeaseControl leases = dispatcher.leases();
        return leases == null || leases.awaitFirstAnswer(key, nanos);
    }

    /** As {@link #awaitFirstAnswer(String, long)}. An interrupt ends the wait, and the interrupt flag is set again. */
    private boolean awaitFirstAnswer(String key) {
        try {
            return awaitFirstAnswer(key, Long.MAX_VALUE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    // ---- after a shutdown ----------------------------------------------------------------------------------------

    /** Throws {@link IllegalStateException} if the caller is a resolver of {@code key}. */
    void requireNotResolving(String key) {
        dispatcher.requireNotResolving(key);
    }

    boolean isClosed() {
        return dispatcher.isClosed();
    }

    /** @param what what the caller asks for, in the message */
    void requireOpen(String what) {
        if (isClosed()) {
            throw shutDown(what);
        }
    }

    private void requireOpen(GroupTaskImpl<?> task) {
        if (isClosed()) {
            throw shutDown(TaskDescription.of(task));
        }
    }

    ExecutorShutdownException shutDown(String what) {
        return new ExecutorShutdownException(executorName + " is shut down, and did not accept " + what);
    }

    private static void completeShutDown(GroupTaskImpl<?> task) {
        completeCancelled(task, "executor shut down");
    }

    private static <T extends @Nullable Object> void completeCancelled(GroupTaskImpl<T> task, String reason) {
        task.completeUnadmitted(task.cancelled(reason));
    }
}
