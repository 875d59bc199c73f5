package io.github.kobe.internal.group;

import io.github.kobe.Permit;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.time.Timer;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Acquires permits for threads that do their work themselves. */
final class PermitAcquirer {

    /** The task id in exceptions. */
    private static final String TASK_ID = "permit";

    private final AdmissionControl admission;
    private final Timer timer;

    PermitAcquirer(AdmissionControl admission, Timer timer) {
        this.admission = admission;
        this.timer = timer;
    }

    Permit acquire(String key) throws InterruptedException {
        GroupPermit permit = new GroupPermit(key);
        Rejection rejection = request(permit, Long.MAX_VALUE);
        if (rejection != null) {
            throw rejected(permit, rejection);
        }
        return permit;
    }

    /** {@code null} if there was no permit in time, or if the queue is full. */
    @Nullable
    Permit tryAcquire(String key, long nanos) throws InterruptedException {
        GroupPermit permit = new GroupPermit(key);
        Rejection rejection = request(permit, nanos);
        if (rejection == null) {
            return permit.isGranted() ? permit : null;
        }
        RejectedTaskException rejected = rejected(permit, rejection); // counts it
        if (rejection.reason() == RejectionReason.SHUT_DOWN) {
            throw rejected;
        }
        return null;
    }

    <T> T call(String key, Callable<T> task) throws Exception {
        GroupPermit permit = new GroupPermit(key);
        Rejection rejection = request(permit, Long.MAX_VALUE);
        if (rejection != null && (rejection.reason() == RejectionReason.SHUT_DOWN || !admission.callerRuns())) {
            throw rejected(permit, rejection);
        }
        return permit.call(task);
    }

    /** Returns why the request gets no permit; {@code null} if it has one, or if the time is over. */
    private @Nullable Rejection request(GroupPermit permit, long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        boolean blocks = admission.blocks();
        long since = blocks ? timer.nanoTime() : 0;
        Admission answer = admission.submitPermitRequest(permit.groupKey(), permit, nanos);
        if (answer == Admission.ADMITTED) {
            return permit.isGranted() ? null : await(permit, blocks ? remaining(nanos, since) : nanos);
        }
        if (answer != Admission.CLOSED) {
            permit.countAs(CounterSlots.NOT_ADMITTED);
        }
        return admission.rejection(permit, answer, blocks ? timer.nanoTime() - since : 0);
    }

    private long remaining(long nanos, long since) {
        return Math.max(0, nanos - (timer.nanoTime() - since));
    }

    private @Nullable Rejection await(GroupPermit permit, long nanos) throws InterruptedException {
        return switch (permit.await(nanos)) {
            case GRANTED, WITHDRAWN -> null;
            case STOPPED -> admission.rejection(permit, Admission.CLOSED, 0);
            case DISPLACED -> RejectionFactory.of(RejectionReason.GROUP_QUEUE_FULL, permit.group(), 0);
        };
    }

    /** A request that was admitted was counted with its outcome, and a request after a shutdown is not counted. */
    private static RejectedTaskException rejected(GroupPermit permit, Rejection rejection) {
        if (!permit.wasAdmitted() && rejection.reason() != RejectionReason.SHUT_DOWN) {
            permit.countAs(CounterSlots.rejected(rejection.reason()));
        }
        return new RejectedTaskException(permit.groupKey(), TASK_ID, rejection);
    }
}
