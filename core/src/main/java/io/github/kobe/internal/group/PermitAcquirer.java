package io.github.kobe.internal.group;

import io.github.kobe.Permit;
import io.github.kobe.PermitResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.PermitRequest;
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

    PermitResult tryAcquire(String key, long nanos) throws InterruptedException {
        GroupPermit permit = new GroupPermit(key);
        Rejection rejection = request(permit, nanos);
        if (rejection == null) {
            return PermitResult.granted(permit);
        }
        countRejected(permit, rejection);
        return PermitResult.rejected(key, TASK_ID, "", rejection);
    }

    <T> T call(String key, Callable<T> task) throws Exception {
        GroupPermit permit = new GroupPermit(key);
        Rejection rejection = request(permit, Long.MAX_VALUE);
        if (rejection != null && (permit.wasAdmitted() || !admission.callerRuns())) {
            throw rejected(permit, rejection);
        }
        return permit.call(task);
    }

    /**
     * Submits the request and waits for its outcome.
     *
     * @return why the request gets no permit; {@code null} if it has one
     */
    private @Nullable Rejection request(GroupPermit permit, long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long blockedSince = admission.blocks() ? timer.nanoTime() : 0;
        Admission answer = submit(permit, nanos);
        if (answer == Admission.ADMITTED) {
            return permit.isGranted() ? null : await(permit, nanos, blockedSince);
        }
        return notAdmitted(permit, answer, nanos, blockedSince);
    }

    private Admission submit(GroupPermit permit, long nanos) throws InterruptedException {
        try {
            return admission.submitPermitRequest(permit.groupKey(), permit, nanos);
        } catch (InterruptedException e) {
            permit.countAs(CounterSlots.NOT_ADMITTED);
            permit.countAs(CounterSlots.CANCELLED);
            throw e;
        }
    }

    private Rejection notAdmitted(GroupPermit permit, Admission answer, long nanos, long blockedSince) {
        if (answer == Admission.CLOSED) {
            throw new RejectedTaskException(permit.groupKey(), TASK_ID, admission.rejection(permit, answer, 0));
        }
        permit.countAs(CounterSlots.NOT_ADMITTED);
        if (!admission.blocks()) {
            return admission.rejection(permit, answer, 0);
        }
        long blocked = timer.nanoTime() - blockedSince;
        return admission.expiresBlocked(nanos)
                ? RejectionFactory.of(RejectionReason.EXPIRED, permit.group(), blocked)
                : admission.rejection(permit, answer, blocked);
    }

    private @Nullable Rejection await(GroupPermit permit, long nanos, long blockedSince) throws InterruptedException {
        long since = admission.blocks() ? blockedSince : permit.queuedSince();
        long left = admission.blocks() ? Math.max(0, nanos - (timer.nanoTime() - since)) : nanos;
        PermitRequest.Result result = permit.await(left);
        return result == PermitRequest.Result.GRANTED ? null : rejection(permit, result, nanos == 0 ? 0 : timer.nanoTime() - since);
    }

    /** Why an admitted request did not get a permit, with the numbers of its group now. */
    private Rejection rejection(GroupPermit permit, PermitRequest.Result result, long waited) {
        return switch (result) {
            case STOPPED -> admission.rejection(permit, Admission.CLOSED, waited);
            case DISPLACED -> RejectionFactory.of(RejectionReason.GROUP_QUEUE_FULL, permit.group(), waited);
            case EXPIRED -> RejectionFactory.of(RejectionReason.EXPIRED, permit.group(), waited);
            case GRANTED, WITHDRAWN -> throw new AssertionError(result + " is no rejection");
        };
    }

    private static RejectedTaskException rejected(GroupPermit permit, Rejection rejection) {
        countRejected(permit, rejection);
        return new RejectedTaskException(permit.groupKey(), TASK_ID, rejection);
    }

    /** A request that was admitted was counted when its outcome was decided. */
    private static void countRejected(GroupPermit permit, Rejection rejection) {
        if (!permit.wasAdmitted()) {
            permit.countAs(CounterSlots.rejected(rejection.reason()));
        }
    }
}
