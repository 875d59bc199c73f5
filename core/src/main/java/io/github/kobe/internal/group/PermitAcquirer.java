package io.github.kobe.internal.group;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import io.github.kobe.PermitResult;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.AttemptLimits;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.LeaseControl;
import io.github.kobe.internal.kernel.PermitRequest;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Acquires permits for callers that do their work themselves. */
final class PermitAcquirer {

    /** How long a request that was submitted before the first answer of the owner of leases waits for a permit that the answer has brought. */
    private static final long GRANT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final GroupEngine engine;
    private final AdmissionControl admission;
    private final ListenerNotifier notifier;
    private final @Nullable TaskInterceptor interceptor;
    private final Timer timer;

    PermitAcquirer(
            GroupEngine engine,
            AdmissionControl admission,
            ListenerNotifier notifier,
            @Nullable TaskInterceptor interceptor,
            Timer timer) {
        this.engine = engine;
        this.admission = admission;
        this.notifier = notifier;
        this.interceptor = interceptor;
        this.timer = timer;
    }

    Permit acquire(String key, PermitOptions options) throws InterruptedException {
        GroupPermit permit = newRequest(key, options, AttemptLimits.NONE);
        Rejection rejection = request(permit, maxWait(options));
        if (rejection != null) {
            throw rejected(permit, rejection);
        }
        permit.enter(interceptor, false);
        return permit;
    }

    PermitResult tryAcquire(String key, PermitOptions options, long nanos) throws InterruptedException {
        GroupPermit permit = newRequest(key, options, AttemptLimits.NONE);
        Rejection rejection = request(permit, nanos);
        if (rejection != null) {
            tellRejected(permit, rejection);
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
        GroupPermit permit = newRequest(key, options, AttemptLimits.NONE);
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

    private GroupPermit newRequest(String key, PermitOptions options, long maxQueueNanos) {
        engine.requireCost(options.cost());
        return new GroupPermit(key, options, maxQueueNanos, notifier, engine);
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
            Rejection rejection = admission.tryShare(permit) ? null : submitAndAwait(permit, nanos);
            if (rejection == null) {
                permit.holdByCurrentThread();
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
            admission.requireNotResolving(permit.groupKey()); // it would throw later, after the listener was told
            permit.announceSubmitted();
        }
    }

    private @Nullable Rejection submitAndAwait(GroupPermit permit, long nanos) throws InterruptedException {
        long blockedSince = admission.blocks() ? timer.nanoTime() : 0;
        boolean early = nanos == 0 && admission.awaitsFirstAnswer(permit.groupKey());
        Admission answer = submit(permit, nanos);
        if (admission.waitsForFirstAnswer(answer, permit.groupKey(), nanos)) {
            blockedSince = timer.nanoTime();
            answer = submitAfterFirstAnswer(permit, nanos, answer);
        }
        if (answer == Admission.ADMITTED) {
            return permit.isGranted() ? null : await(permit, nanos, blockedSince, early);
        }
        checkOpen(permit, answer);
        long blocked = blockedSince == 0 ? 0 : timer.nanoTime() - blockedSince;
        return admission.expiresBlocked(nanos) && answer != Admission.TOO_MANY_GROUPS && answer != Admission.TOO_COSTLY
                ? admission.rejections().expired(permit.group(), permit.cost(), blocked)
                : admission.rejection(permit, answer, blocked);
    }

    private Admission submit(GroupPermit permit, long nanos) throws InterruptedException {
        try {
            return admission.submitPermitRequest(permit.groupKey(), permit, nanos);
        } catch (InterruptedException e) {
            countCancelled(permit);
            throw e;
        }
    }

    /** A request that is not to wait waits for the first answer of the owner of leases nevertheless. */
    private Admission submitAfterFirstAnswer(GroupPermit permit, long nanos, Admission otherwise)
            throws InterruptedException {
        boolean answered;
        try {
            answered = admission.awaitFirstAnswer(permit.groupKey(), nanos == 0 ? Long.MAX_VALUE : nanos);
        } catch (InterruptedException e) {
            countCancelled(permit);
            throw e;
        }
        return answered ? submit(permit, nanos) : otherwise;
    }

    /** Of a request that was not admitted. */
    private static void countCancelled(GroupPermit permit) {
        permit.countAs(CounterSlots.NOT_ADMITTED);
        permit.countOutcomeAs(CounterSlots.CANCELLED);
    }

    /** For a request that was not admitted: throws after a shutdown, else counts the request. */
    private void checkOpen(GroupPermit permit, Admission answer) {
        if (answer == Admission.CLOSED) {
            permit.announceShutDown(); // the listener was told of the request, so it is told of the outcome
            throw shutDown(permit);
        }
        permit.countAs(CounterSlots.NOT_ADMITTED);
    }

    private RuntimeException rejected(GroupPermit permit, Rejection rejection) {
        tellRejected(permit, rejection);
        return isExecutorShutDown(rejection) ? shutDown(permit) : permit.exception(rejection);
    }

    private void tellRejected(GroupPermit permit, Rejection rejection) {
        permit.rejected(rejection);
        FlightEvents.rejected(engine.name(), permit, rejection);
    }

    /** If not, it may be that only the group was shut down. */
    private boolean isExecutorShutDown(Rejection rejection) {
        return rejection.reason() == RejectionReason.SHUT_DOWN && admission.isClosed();
    }

    private ExecutorShutdownException shutDown(GroupPermit permit) {
        return admission.shutDown("a request for a permit of group '" + permit.groupKey() + "'");
    }

    /** @param early whether it was submitted before the first answer, and is not to wait for anything else */
    private @Nullable Rejection await(GroupPermit permit, long nanos, long blockedSince, boolean early)
            throws InterruptedException {
        long blocked = blockedSince == 0 ? 0 : permit.queuedSince() - blockedSince;
        boolean waits = nanos > 0 || awaitFirstAnswer(permit) || early;
        PermitRequest.Result result = permit.await(early ? untilGranted(permit) : Math.max(0, nanos - blocked));
        if (result == PermitRequest.Result.GRANTED) {
            return null;
        }
        return rejection(permit, result, blocked + (waits ? timer.nanoTime() - permit.queuedSince() : 0));
    }

    /** If the answer has brought permits, the thread that brings it may be about to grant the request one. */
    private static long untilGranted(GroupPermit permit) {
        Group group = permit.group();
        return group != null && group.leasedPermits() > 0 ? GRANT_NANOS : 0;
    }

    /**
     * For a queued request that is not to wait: waits if the owner of leases has not answered yet.
     *
     * @return whether it has waited
     */
    private boolean awaitFirstAnswer(GroupPermit permit) throws InterruptedException {
        if (!admission.awaitsFirstAnswer(permit.groupKey())) {
            return false;
        }
        try {
            admission.awaitFirstAnswer(permit.groupKey(), Long.MAX_VALUE);
        } catch (InterruptedException e) {
            if (permit.tryWithdraw()) {
                throw e;
            }
            Thread.currentThread().interrupt(); // it was granted before, and the caller has to release it
        }
        return true;
    }

    /** How long the request was queued; 0 if it was not to wait. */
    private long waited(GroupPermit permit, long nanos) {
        return nanos == 0 ? 0 : timer.nanoTime() - permit.queuedSince();
    }

    // ---- without a waiting thread --------------------------------------------------------------------------------

    /**
     * Requests a permit for the future that it returns. The kernel enforces the maximum wait.
     *
     * <p>Two steps race with each other: a grant decides the outcome of the request and then completes the future, and a caller completes
     * the future in another way, such as by a cancel, and then withdraws the request. If the withdrawal comes first, the request never gets
     * a permit. If the grant comes first and finds the future completed, it gives the permit back.
     */
    CompletableFuture<Permit> acquireAsync(String key, PermitOptions options) {
        long nanos = maxWait(options);
        GroupPermit permit = newRequest(key, options, nanos == 0 ? AttemptLimits.NONE : nanos);
        announceSubmitted(permit);
        boolean early = nanos == 0 && admission.awaitsFirstAnswer(key);
        Admission answer = admission.trySubmitPermitRequest(key, permit, nanos);
        CompletableFuture<Permit> future = new CompletableFuture<>();
        if (admission.waitsForFirstAnswer(answer, key, nanos)) {
            engine.dispatcher().spawn(() -> submitAgain(permit, nanos, answer, future)); // the caller does not wait
        } else {
            submitted(permit, nanos, answer, 0, early, future);
        }
        return future;
    }

    /** After the first answer of the owner of leases. */
    private void submitAgain(GroupPermit permit, long nanos, Admission first, CompletableFuture<Permit> future) {
        long since = timer.nanoTime();
        try {
            Admission answer = awaitsAnswer(permit, nanos)
                    ? admission.trySubmitPermitRequest(permit.groupKey(), permit, nanos)
                    : first;
            submitted(permit, nanos, answer, timer.nanoTime() - since, nanos == 0, future);
        } catch (Throwable fault) { // the executor was shut down, or a resolver uses its own group
            future.completeExceptionally(fault);
        }
    }

    /** For a thread that is not the caller's. Returns whether there is an answer. */
    private boolean awaitsAnswer(GroupPermit permit, long nanos) {
        try {
            return admission.awaitFirstAnswer(permit.groupKey(), nanos == 0 ? Long.MAX_VALUE : nanos);
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** @param early as for {@link #await} */
    // The stage has no result, and permits are compared by identity.
    @SuppressWarnings({"FutureReturnValueIgnored", "ReferenceEquality"})
    private void submitted(
            GroupPermit permit,
            long nanos,
            Admission answer,
            long blocked,
            boolean early,
            CompletableFuture<Permit> future) {
        if (answer != Admission.ADMITTED) {
            checkOpen(permit, answer);
            reject(permit, admission.rejection(permit, answer, blocked), future);
        } else if (permit.isGranted()) {
            grant(permit, future);
        } else {
            if (nanos == 0) {
                expireNow(permit, early);
            }
            permit.whenDecided(result -> runUserCode(() -> complete(permit, result, nanos, future)));
            future.whenComplete((given, fault) -> {
                if (given != permit) {
                    permit.tryWithdraw();
                }
            });
        }
    }

    /** What depends on the future is user code. It runs on another thread if this one keeps the leases of all groups. */
    private void runUserCode(Runnable action) {
        LeaseControl leases = engine.dispatcher().leases();
        if (leases != null && leases.isOwnerThread()) {
            engine.dispatcher().spawn(action);
        } else {
            action.run();
        }
    }

    /** It is not to wait, except for the first answer of the owner of leases, and for a grant that this answer brings. */
    private void expireNow(GroupPermit permit, boolean early) {
        if (early || admission.awaitsFirstAnswer(permit.groupKey())) {
            engine.dispatcher().spawn(() -> expireAfterFirstAnswer(permit));
        } else {
            permit.tryExpire();
        }
    }

    /** For a thread that is not the caller's. */
    private void expireAfterFirstAnswer(GroupPermit permit) {
        awaitsAnswer(permit, 0);
        try {
            permit.await(untilGranted(permit));
        } catch (InterruptedException e) {
            permit.tryExpire();
        }
    }

    private void complete(
            GroupPermit permit, PermitRequest.Result result, long nanos, CompletableFuture<Permit> future) {
        switch (result) {
            case GRANTED -> grant(permit, future);
            case WITHDRAWN -> permit.announceCancelled(new TaskCancelledException(permit, "cancelled"));
            case FAILED -> {
                permit.announceFailed();
                future.completeExceptionally(permit.fault());
            }
            default -> reject(permit, rejection(permit, result, waited(permit, nanos)), future);
        }
    }

    private void reject(GroupPermit permit, Rejection rejection, CompletableFuture<Permit> future) {
        future.completeExceptionally(rejected(permit, rejection));
    }

    private void grant(GroupPermit permit, CompletableFuture<Permit> future) {
        permit.enter(interceptor, false);
        if (permit.announceStarted(() -> handOver(permit, future))) {
            handOver(permit, future);
        }
    }

    private static void handOver(GroupPermit permit, CompletableFuture<Permit> future) {
        if (!future.complete(permit)) {
            permit.giveBack();
        }
    }

    // ---- rejections ----------------------------------------------------------------------------------------------

    /** Why an admitted request did not get a permit, with the numbers of its group now. */
    private Rejection rejection(GroupPermit permit, PermitRequest.Result result, long waited) {
        return switch (result) {
            case STOPPED -> admission.rejection(permit, Admission.CLOSED, waited);
            case DISPLACED -> admission.rejections().displaced(permit.group(), permit.cost(), waited);
            case EXPIRED -> admission.rejections().expired(permit.group(), permit.cost(), waited);
            case GRANTED, WITHDRAWN, FAILED -> throw new AssertionError(result + " is no rejection");
        };
    }
}
