package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import io.github.kobe.Rejection;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.time.Timer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tells the listener of a request for a permit and of the work under it, as of a task. The thread that makes a step calls the listener. A
 * caller's thread continues when the listener returns, since no other thread could continue in its place.
 *
 * <p>The fields are written before the permit is given to the caller, which passes it to the thread that closes it.
 */
final class PermitAnnouncement {

    private final ListenerNotifier notifier;
    private final Timer timer;
    private final TaskIdentity permit;
    private long startedAt;
    private boolean started;
    private Duration waited = Duration.ZERO;

    PermitAnnouncement(ListenerNotifier notifier, Timer timer, TaskIdentity permit) {
        this.notifier = notifier;
        this.timer = timer;
        this.permit = permit;
    }

    void submitted() {
        notifier.submitted(permit);
    }

    void started(Duration time) {
        startedAt = timer.nanoTime();
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
        startedAt = timer.nanoTime();
        started = true;
        waited = time;
        return notifier.started(permit, time, takeOver);
    }

    void rejected(Rejection rejection) {
        notifier.rejectedOnCaller(permit, rejection);
    }

    /** The work is done, or it will not start because the request was cancelled. */
    void completed(TaskStatus status, @Nullable Object value, @Nullable Throwable error) {
        long now = timer.nanoTime();
        notifier.completedOnCaller(
                permit,
                new GroupResult<>(
                        permit.groupKey(),
                        permit.taskId(),
                        status,
                        value,
                        error,
                        started ? startedAt : now,
                        now,
                        null,
                        waited,
                        started ? 1 : 0));
    }
}
