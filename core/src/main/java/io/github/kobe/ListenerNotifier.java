package io.github.kobe;

import io.github.kobe.internal.kernel.CallbackMonitor;
import java.time.Duration;

/** Tells a listener what happens, so that nothing the listener does can disturb the one who tells it. */
final class ListenerNotifier {

    private final TaskLifecycleListener listener;
    private final CallbackMonitor watch;

    ListenerNotifier(TaskLifecycleListener listener, CallbackMonitor watch) {
        this.listener = listener;
        this.watch = watch;
    }

    void submitted(TaskHandle<?> task) {
        watch.guard("listener onSubmitted", task, () -> listener.onSubmitted(task));
    }

    boolean started(TaskHandle<?> task, Runnable takeOver) {
        return watch.call("listener onStarted", task, () -> listener.onStarted(task), takeOver);
    }

    /** On the task's thread, which is the one that is held up if the listener is. */
    void retries(TaskHandle<?> task, int failedAttempts, Throwable fault, Duration delay) {
        watch.guard("listener onRetry", task, () -> listener.onRetry(task, failedAttempts, fault, delay));
    }

    boolean ended(GroupTaskImpl<?> task, GroupResult<?> result, Runnable takeOver) {
        if (result.status() != TaskStatus.REJECTED) {
            return watch.call("listener onCompleted", task, () -> listener.onCompleted(task, result), takeOver);
        }
        Rejection own = task.rejection() == null ? result.rejection() : task.rejection();
        Rejection rejection = own == null ? task.rejection(RejectionReason.GROUP_QUEUE_FULL) : own;
        return watch.call("listener onRejected", task, () -> listener.onRejected(task, rejection), takeOver);
    }
}
