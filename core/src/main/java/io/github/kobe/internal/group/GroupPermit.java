package io.github.kobe.internal.group;

import io.github.kobe.ContextCarrier.Captured;
import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import io.github.kobe.PermitResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.kernel.AttemptLimits;
import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.kernel.PermitRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A permit of a group and the request for it. They are one object, so that an acquire allocates nothing else. */
final class GroupPermit extends PermitRequest implements Permit, TaskIdentity, ListenerNotifier.InContext {

    private final String groupKey;
    private final PermitOptions options;

    /** {@code null} if the request has neither a priority, nor a cost, nor a time limit that the kernel enforces. */
    private final @Nullable AttemptState attempts;

    /** {@code null} if listeners are not called. */
    private final @Nullable PermitAnnouncement announcement;

    /** What the face does around the work, and its answer; {@code null} if nothing. Written before the caller gets the permit. */
    private @Nullable TaskInterceptor interceptor;

    private @Nullable Object entered;

    /** @param maxQueueNanos after which the kernel terminates the request; {@link AttemptLimits#NONE} if its caller does */
    GroupPermit(
            String groupKey, PermitOptions options, long maxQueueNanos, ListenerNotifier notifier, GroupEngine engine) {
        this.groupKey = groupKey;
        this.options = options;
        this.announcement = options.announce() ? new PermitAnnouncement(notifier, engine, this) : null;
        this.attempts = options.priority() == 0 && options.cost() == 1 && maxQueueNanos == AttemptLimits.NONE
                ? null
                : new AttemptState(new AttemptLimits(
                        options.priority(),
                        maxQueueNanos,
                        AttemptLimits.NONE,
                        AttemptLimits.NONE,
                        false,
                        false,
                        options.cost()));
    }

    @Override
    public String groupKey() {
        return groupKey;
    }

    @Override
    public String taskId() {
        return options.taskId();
    }

    @Override
    public String tag() {
        return options.tag();
    }

    @Override
    protected @Nullable AttemptState attempts() {
        return attempts;
    }

    // ---- the request ---------------------------------------------------------------------------------------------

    /** Whether a listener is called. Otherwise the methods below do nothing. */
    boolean isAnnounced() {
        return announcement != null;
    }

    @Override
    public @Nullable Captured listenerContext() {
        return announcement == null ? null : announcement.context();
    }

    /** The request is about to be submitted. */
    void announceSubmitted() {
        if (announcement != null) {
            announcement.submitted();
        }
    }

    /** The work is about to begin. */
    void announceStarted() {
        if (announcement != null) {
            announcement.started(waited());
        }
    }

    private Duration waited() {
        return Duration.ofNanos(Math.max(0, waitedNanos()));
    }

    /** As {@link #announceStarted()}, see {@link PermitAnnouncement#started(Duration, Runnable)}. */
    boolean announceStarted(Runnable takeOver) {
        return announcement == null || announcement.started(waited(), takeOver);
    }

    /** The request was cancelled because of {@code reason}. */
    void announceCancelled(Throwable reason) {
        if (announcement != null) {
            announcement.completed(TaskStatus.CANCELLED, null, reason);
        }
    }

    /** The request failed, see {@link #fault}. */
    void announceFailed() {
        if (announcement != null) {
            announcement.completed(TaskStatus.FAILED, null, fault());
        }
    }

    void announceShutDown() {
        if (announcement != null) {
            announceCancelled(new TaskCancelledException(this, "shut down"));
        }
    }

    /** Whether the request was admitted. For the caller, after it has waited for the outcome. */
    boolean wasAdmitted() {
        return isCompleted();
    }

    /** When it was queued. For a request that is queued or was not granted. */
    long queuedSince() {
        return lastQueuedAt();
    }

    /** It gets no permit. A request that was admitted was counted when its outcome was decided. */
    void rejected(Rejection rejection) {
        if (!wasAdmitted()) {
            countOutcomeAs(CounterSlots.rejected(rejection.reason()));
        }
        if (rejection.reason() == RejectionReason.SHUT_DOWN) {
            announceShutDown();
        } else if (announcement != null) {
            announcement.rejected(rejection);
        }
    }

    /** Calls {@code action} with the outcome: now if it is known, else on another thread than the one that decides it. */
    @SuppressWarnings("FutureReturnValueIgnored") // the dependent stage has no result
    void whenDecided(Consumer<Result> action) {
        CompletableFuture<Result> outcome = new CompletableFuture<>();
        outcome.thenAccept(action);
        completeDependent(outcome);
    }

    RejectedTaskException exception(Rejection rejection) {
        return new RejectedTaskException(groupKey, taskId(), tag(), rejection);
    }

    PermitResult result(@Nullable Rejection rejection) {
        return rejection == null
                ? PermitResult.granted(this)
                : PermitResult.rejected(groupKey, taskId(), tag(), rejection);
    }

    /** A granted request is counted when its permit is released. */
    @Override
    protected int counterSlot(Object result) {
        return switch ((Result) result) {
            case GRANTED -> -1;
            case WITHDRAWN, STOPPED -> CounterSlots.CANCELLED;
            case EXPIRED -> CounterSlots.rejected(RejectionReason.EXPIRED);
            case DISPLACED -> CounterSlots.rejected(RejectionReason.GROUP_QUEUE_FULL);
            case FAILED -> CounterSlots.FAILED;
        };
    }

    @Override
    protected String counterTag() {
        return tag();
    }

    // ---- the work under the permit -------------------------------------------------------------------------------

    /**
     * The permit was granted, and the work is about to begin.
     *
     * @param onThisThread whether the calling thread does the work
     */
    void enter(@Nullable TaskInterceptor face, boolean onThisThread) {
        if (face != null) {
            interceptor = face;
            entered = face.enterPermit(Objects.requireNonNull(group()), Math.max(0, waitedNanos()), onThisThread);
        }
    }

    /** Runs {@code task} on the calling thread, then releases the permit if there is one. */
    <T extends @Nullable Object> T call(Callable<T> task) throws Exception {
        T value = null;
        Throwable error = null;
        try {
            value = task.call();
            return value;
        } catch (Throwable e) {
            error = e;
            throw e;
        } finally {
            workDone(value, error);
        }
    }

    /** As {@link #call}. */
    void run(Runnable task) {
        Throwable error = null;
        try {
            task.run();
        } catch (Throwable e) {
            error = e;
            throw e;
        } finally {
            workDone(null, error);
        }
    }

    @Override
    public Permit detach() {
        leaveThread();
        return this;
    }

    @Override
    public void close() {
        workDone(null, null);
    }

    /** Releases a permit that no caller got. */
    void giveBack() {
        workDone(null, new TaskCancelledException(this, "cancelled"));
    }

    private void workDone(@Nullable Object value, @Nullable Throwable error) {
        TaskStatus status = statusOf(error);
        int slot = CounterSlots.of(status, RejectionReason.GROUP_QUEUE_FULL);
        if (!isGranted()) {
            countOutcomeAs(slot); // it ran without a permit
        } else if (!release(slot)) {
            return; // closed before
        }
        if (interceptor != null && entered != null) {
            interceptor.leave(entered);
        }
        if (announcement != null) {
            announcement.completed(status, value, error);
        }
    }

    private static TaskStatus statusOf(@Nullable Throwable error) {
        if (error == null) {
            return TaskStatus.SUCCESS;
        }
        boolean cancelled = error instanceof InterruptedException || error instanceof CancellationException;
        return cancelled ? TaskStatus.CANCELLED : TaskStatus.FAILED;
    }

    @Override
    public String toString() {
        String name = options.taskId().equals(PermitOptions.defaults().taskId()) ? "" : " '" + taskId() + "'";
        return "permit" + name + " of group '" + groupKey + "'" + (tag().isEmpty() ? "" : " [" + tag() + "]");
    }
}
