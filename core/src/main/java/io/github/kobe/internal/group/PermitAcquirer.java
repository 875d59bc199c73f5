package io.github.kobe.internal.group;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.PermitRequest;
import io.github.kobe.internal.time.Timer;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.function.IntConsumer;
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

    PermitRequest acquire(String key) throws InterruptedException {
        PermitRequest request = new PermitRequest();
        Rejection rejection = acquire(key, request, Long.MAX_VALUE);
        if (rejection != null) {
            throw rejected(key, request, rejection);
        }
        return request;
    }

    /** {@code null} if there was no permit in time, or if the queue is full. */
    @Nullable
    PermitRequest tryAcquire(String key, long nanos) throws InterruptedException {
        PermitRequest request = new PermitRequest();
        Rejection rejection = acquire(key, request, nanos);
        if (rejection == null) {
            return request.isGranted() ? request : null;
        }
        RejectedTaskException rejected = rejected(key, request, rejection); // counts it
        if (rejection.reason() == RejectionReason.SHUT_DOWN) {
            throw rejected;
        }
        return null;
    }

    <T> T call(String key, Callable<T> task) throws Exception {
        PermitRequest request = new PermitRequest();
        Rejection rejection = acquire(key, request, Long.MAX_VALUE);
        if (rejection == null) {
            return call(task, request::release);
        }
        if (rejection.reason() != RejectionReason.SHUT_DOWN && admission.callerRuns()) {
            return call(task, request::countAs);
        }
        throw rejected(key, request, rejection);
    }

    /** @param completed called with the counter slot of the outcome */
    private static <T> T call(Callable<T> task, IntConsumer completed) throws Exception {
        int slot = CounterSlots.FAILED;
        try {
            T value = task.call();
            slot = CounterSlots.SUCCEEDED;
            return value;
        } catch (InterruptedException | CancellationException e) {
            slot = CounterSlots.CANCELLED;
            throw e;
        } finally {
            completed.accept(slot);
        }
    }

    /** Returns why the request gets no permit; {@code null} if it has one, or if the time is over. */
    private @Nullable Rejection acquire(String key, PermitRequest request, long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long since = nanos == Long.MAX_VALUE && !admission.blocks() ? 0 : timer.nanoTime();
        Admission answer = admission.submitPermitRequest(key, request, nanos);
        if (answer == Admission.ADMITTED) {
            return request.isGranted() ? null : await(request, since == 0 ? nanos : remaining(nanos, since));
        }
        if (answer != Admission.CLOSED) {
            request.countAs(CounterSlots.NOT_ADMITTED);
        }
        return admission.rejection(request, answer, admission.blocks() ? timer.nanoTime() - since : 0);
    }

    private long remaining(long nanos, long since) {
        return Math.max(0, nanos - (timer.nanoTime() - since));
    }

    private @Nullable Rejection await(PermitRequest request, long nanos) throws InterruptedException {
        PermitRequest.Result result = PermitRequest.Result.WITHDRAWN;
        try {
            result = request.await(nanos);
        } finally {
            if (result == PermitRequest.Result.WITHDRAWN || result == PermitRequest.Result.STOPPED) {
                request.countAs(CounterSlots.CANCELLED);
            }
        }
        return switch (result) {
            case GRANTED, WITHDRAWN -> null;
            case STOPPED -> admission.rejection(request, Admission.CLOSED, 0);
            case DISPLACED -> RejectionFactory.of(RejectionReason.GROUP_QUEUE_FULL, request.group(), 0);
        };
    }

    /** A stopped request was counted as cancelled before, and a request after a shutdown is not counted. */
    private static RejectedTaskException rejected(String key, PermitRequest request, Rejection rejection) {
        if (rejection.reason() != RejectionReason.SHUT_DOWN) {
            request.countAs(CounterSlots.rejected(rejection.reason()));
        }
        return new RejectedTaskException(key, TASK_ID, rejection);
    }
}
