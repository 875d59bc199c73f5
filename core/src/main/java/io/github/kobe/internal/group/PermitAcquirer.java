package io.github.kobe.internal.group;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import io.github.kobe.PermitResult;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.PermitRequest;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Acquires permits for threads that do their work themselves. */
final class PermitAcquirer {

    private final AdmissionControl admission;
    private final @Nullable ListenerNotifier notifier;
    private final @Nullable TaskInterceptor interceptor;
    private final Timer timer;

    PermitAcquirer(
            AdmissionControl admission,
            @Nullable ListenerNotifier notifier,
            @Nullable TaskInterceptor interceptor,
            Timer timer) {
        this.admission = admission;
        this.notifier = notifier;
        this.interceptor = interceptor;
        this.timer = timer;
    }

    Permit acquire(String key, PermitOptions options) throws InterruptedException {
        GroupPermit permit = new GroupPermit(key, options, notifier, timer);
        Rejection rejection = request(permit, maxWait(options));
        if (rejection != null) {
            throw rejected(permit, rejection);
        }
        permit.enter(interceptor, false);
        return permit;
    }

    PermitResult tryAcquire(String key, PermitOptions options, long nanos) throws InterruptedException {
        GroupPermit permit = new GroupPermit(key, options, notifier, timer);
        Rejection rejection = request(permit, nanos);
        if (rejection != null) {
            permit.rejected(rejection);
            if (isExecutorShutDown(rejection)) {
                throw shutDown(permit);
            }
        } else {
            permit.enter(interceptor, false);
        }
        return permit.result(rejection);
    }

    <T extends @Nullable Object> T call(String key, Callable<T> task, PermitOptions options) throws Exception {
        return toRun(key, options).call(task);
    }

    void call(String key, Runnable task, PermitOptions options) throws InterruptedException {
        toRun(key, options).run(task);
    }

    /** A permit; or, if the policy says so, a request that was not admitted, whose caller runs its task without a permit. */
    private GroupPermit toRun(String key, PermitOptions options) throws InterruptedException {
        GroupPermit permit = new GroupPermit(key, options, notifier, timer);
        Rejection rejection = request(permit, maxWait(options));
        if (rejection == null) {
            permit.enter(interceptor, true);
            return permit;
        }
        if (permit.wasAdmitted() || !admission.callerRuns()) {
            throw rejected(permit, rejection);
        }
        permit.announceStarted();
        return permit;
    }

    private static long maxWait(PermitOptions options) {
        Duration time = options.maxWait();
        return time == null ? Long.MAX_VALUE : Durations.saturatedNanos(time);
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
        announceSubmitted(permit);
        try {
            Rejection rejection = submitAndAwait(permit, nanos);
            if (rejection == null) {
                permit.announceStarted();
            }
            return rejection;
        } catch (InterruptedException e) {
            permit.announceCancelled(e);
            throw e;
        }
    }

    private void announceSubmitted(GroupPermit permit) {
        if (permit.isAnnounced()) {
            if (admission.isClosed()) {
                throw shutDown(permit);
            }
            permit.announceSubmitted();
        }
    }

    private @Nullable Rejection submitAndAwait(GroupPermit permit, long nanos) throws InterruptedException {
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
            permit.countOutcomeAs(CounterSlots.CANCELLED);
            throw e;
        }
    }

    private Rejection notAdmitted(GroupPermit permit, Admission answer, long nanos, long blockedSince) {
        if (answer == Admission.CLOSED) {
            permit.announceShutDown(); // the listener was told of the request, so it is told of the outcome
            throw shutDown(permit);
        }
        permit.countAs(CounterSlots.NOT_ADMITTED);
        if (!admission.blocks()) {
            return admission.rejection(permit, answer, 0);
        }
        long blocked = timer.nanoTime() - blockedSince;
        return admission.expiresBlocked(nanos)
                ? admission.rejections().expired(permit.group(), blocked)
                : admission.rejection(permit, answer, blocked);
    }

    private RuntimeException rejected(GroupPermit permit, Rejection rejection) {
        permit.rejected(rejection);
        return isExecutorShutDown(rejection) ? shutDown(permit) : permit.exception(rejection);
    }

    /** If not, it may be that only the group was shut down. */
    private boolean isExecutorShutDown(Rejection rejection) {
        return rejection.reason() == RejectionReason.SHUT_DOWN && admission.isClosed();
    }

    private ExecutorShutdownException shutDown(GroupPermit permit) {
        return admission.shutDown("a request for a permit of group '" + permit.groupKey() + "'");
    }

    private @Nullable Rejection await(GroupPermit permit, long nanos, long blockedSince) throws InterruptedException {
        long since = admission.blocks() ? blockedSince : permit.queuedSince();
        long left = admission.blocks() ? Math.max(0, nanos - (timer.nanoTime() - since)) : nanos;
        PermitRequest.Result result = permit.await(left);
        if (result == PermitRequest.Result.GRANTED) {
            return null;
        }
        return rejection(permit, result, nanos == 0 ? 0 : timer.nanoTime() - since);
    }

    /** Why an admitted request did not get a permit, with the numbers of its group now. */
    private Rejection rejection(GroupPermit permit, PermitRequest.Result result, long waited) {
        return switch (result) {
            case STOPPED -> admission.rejection(permit, Admission.CLOSED, waited);
            case DISPLACED -> admission.rejections().displaced(permit.group(), waited);
            case EXPIRED -> admission.rejections().expired(permit.group(), waited);
            case GRANTED, WITHDRAWN -> throw new AssertionError(result + " is no rejection");
        };
    }
}
