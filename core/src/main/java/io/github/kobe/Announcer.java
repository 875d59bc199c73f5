package io.github.kobe;

import io.github.kobe.internal.CallbackWatch;

/** Tells a listener what happens, so that nothing the listener does can disturb the one who tells it. */
final class Announcer {

    private final TaskLifecycleListener listener;
    private final CallbackWatch watch;

    Announcer(TaskLifecycleListener listener, CallbackWatch watch) {
        this.listener = listener;
        this.watch = watch;
    }

    void submitted(TaskHandle<?> task) {
        watch.guard("listener onSubmitted", task, () -> listener.onSubmitted(task.groupKey(), task.taskId()));
    }

    boolean started(TaskHandle<?> task, Runnable takeOver) {
        return watch.call(
                "listener onStarted", task, () -> listener.onStarted(task.groupKey(), task.taskId()), takeOver);
    }

    boolean ended(TaskHandle<?> task, GroupResult<?> result, String rejectionReason, Runnable takeOver) {
        return result.status() == TaskStatus.REJECTED
                ? watch.call(
                        "listener onRejected",
                        task,
                        () -> listener.onRejected(task.groupKey(), task.taskId(), rejectionReason),
                        takeOver)
                : watch.call(
                        "listener onCompleted",
                        task,
                        () -> listener.onCompleted(task.groupKey(), task.taskId(), result),
                        takeOver);
    }
}
