package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import io.github.kobe.Rejection;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.kernel.CallbackMonitor;
import java.time.Duration;
import java.util.Objects;

/** Calls the listener. The monitor catches what the listener throws, and lets the task continue if the listener does not return. */
final class ListenerNotifier {

    private final TaskLifecycleListener listener;
    private final CallbackMonitor monitor;

    ListenerNotifier(TaskLifecycleListener listener, CallbackMonitor monitor) {
        this.listener = listener;
        this.monitor = monitor;
    }

    void submitted(TaskIdentity task) {
        monitor.guard("listener onSubmitted", task, () -> listener.onSubmitted(task));
    }

    boolean started(TaskIdentity task, Runnable takeOver) {
        return monitor.call("listener onStarted", task, () -> listener.onStarted(task), takeOver);
    }

    /** As {@link #started}, on a caller's thread, which no other thread can continue for. */
    void startedOnCaller(TaskIdentity task) {
        monitor.guard("listener onStarted", task, () -> listener.onStarted(task));
    }

    /** Runs on the task's thread. A listener that does not return delays only this task. */
    void retrying(TaskHandle<?> task, int failedAttempts, Throwable fault, Duration delay) {
        monitor.guard("listener onRetry", task, () -> listener.onRetry(task, failedAttempts, fault, delay));
    }

    /** As {@link #completed}, on a caller's thread. */
    void completedOnCaller(TaskIdentity task, GroupResult<?> result) {
        monitor.guard("listener onCompleted", task, () -> listener.onCompleted(task, result));
    }

    /** As {@link #completed} of a rejected task, on a caller's thread. */
    void rejectedOnCaller(TaskIdentity task, Rejection rejection) {
        monitor.guard("listener onRejected", task, () -> listener.onRejected(task, rejection));
    }

    boolean completed(GroupTaskImpl<?> task, GroupResult<?> result, Runnable takeOver) {
        if (result.status() != TaskStatus.REJECTED) {
            return monitor.call("listener onCompleted", task, () -> listener.onCompleted(task, result), takeOver);
        }
        Rejection rejection = Objects.requireNonNull(task.rejection() == null ? result.rejection() : task.rejection());
        return monitor.call("listener onRejected", task, () -> listener.onRejected(task, rejection), takeOver);
    }
}
