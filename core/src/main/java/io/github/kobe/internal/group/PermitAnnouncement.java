package io.github.kobe.internal.group;

import io.github.kobe.ContextCarrier.Captured;
import io.github.kobe.GroupResult;
import io.github.kobe.Rejection;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.group.CarriedContext.BesideSubmitter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tells the listener of a request for a permit and of the work under it, as of a task. The thread that makes a step calls the listener. A
 * caller's thread continues when the listener returns, since no other thread could continue in its place. Another thread than the one that
 * requested the permit calls the listener inside the context of that one.
 *
 * <p>The fields are written before the permit is given to the caller, which passes it to the thread that closes it.
 */
final class PermitAnnouncement {

    private final ListenerNotifier notifier;
    private final GroupEngine engine;
    private final GroupPermit permit;

    /** Of the thread that requests the permit; {@code null} if there is none. */
    private @Nullable Captured context;

    private long startedAt;
    private boolean started;
    private Duration waited = Duration.ZERO;

    PermitAnnouncement(ListenerNotifier notifier, GroupEngine engine, GroupPermit permit) {
        this.notifier = notifier;
        this.engine = engine;
        this.permit = permit;
    }

    private long now() {
        return engine.timer().nanoTime();
    }

    @Nullable
    Captured context() {
        return context;
    }

    private void inContext(Runnable call) {
        if (context == null) {
            call.run();
        } else {
            CarriedContext.run(context, permit, engine.faults(), call);
        }
    }

    /** Called by the thread that requests the permit. */
    void submitted() {
        notifier.submitted(permit);
        Captured captured = engine.captureFor(permit);
        context = captured == null ? null : BesideSubmitter.of(captured);
    }

    void started(Duration time) {
        startedAt = now();
        started = true;
        waited = time;
        notifier.startedOnCaller(permit, time);
    }

    /**
     * As {@link #started}, on a thread that only hands the permit over.
     *
     * @param time how long the request was queued
     * @param takeOver runs on another thread if the listener does not return in time
     * @return false if {@code takeOver} runs instead of the calling thread
     */
    boolean started(Duration time, Runnable takeOver) {
        startedAt = now();
        started = true;
        waited = time;
        return notifier.started(permit, time, takeOver);
    }

    void rejected(Rejection rejection) {
        inContext(() -> notifier.rejectedOnCaller(permit, rejection));
    }

    /** The work is done, or it will not start because the request was cancelled. */
    void completed(TaskStatus status, @Nullable Object value, @Nullable Throwable error) {
        long now = now();
        GroupResult<?> result = new GroupResult<>(
                permit.groupKey(),
                permit.taskId(),
                status,
                value,
                error,
                started ? startedAt : now,
                now,
                null,
                waited,
                started ? 1 : 0);
        inContext(() -> notifier.completedOnCaller(permit, result));
    }
}
