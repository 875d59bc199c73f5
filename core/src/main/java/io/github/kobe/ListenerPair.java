package io.github.kobe;

import java.time.Duration;

/** Two listeners as one; see {@link TaskLifecycleListener#andThen}. Each call is passed on in the form in which it came. */
record ListenerPair(TaskLifecycleListener first, TaskLifecycleListener next) implements TaskLifecycleListener {

    @Override
    public void onSubmitted(String groupKey, String taskId) {
        both(() -> first.onSubmitted(groupKey, taskId), () -> next.onSubmitted(groupKey, taskId));
    }

    @Override
    public void onStarted(String groupKey, String taskId) {
        both(() -> first.onStarted(groupKey, taskId), () -> next.onStarted(groupKey, taskId));
    }

    @Override
    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
        both(() -> first.onCompleted(groupKey, taskId, result), () -> next.onCompleted(groupKey, taskId, result));
    }

    @Override
    public void onRejected(String groupKey, String taskId, String reason) {
        both(() -> first.onRejected(groupKey, taskId, reason), () -> next.onRejected(groupKey, taskId, reason));
    }

    @Override
    public void onSubmitted(TaskInfo task) {
        both(() -> first.onSubmitted(task), () -> next.onSubmitted(task));
    }

    @Override
    public void onStarted(TaskInfo task) {
        both(() -> first.onStarted(task), () -> next.onStarted(task));
    }

    @Override
    public void onRetry(TaskInfo task, int failedAttempts, Throwable fault, Duration delay) {
        both(
                () -> first.onRetry(task, failedAttempts, fault, delay),
                () -> next.onRetry(task, failedAttempts, fault, delay));
    }

    @Override
    public void onCompleted(TaskInfo task, GroupResult<?> result) {
        both(() -> first.onCompleted(task, result), () -> next.onCompleted(task, result));
    }

    @Override
    public void onRejected(TaskInfo task, Rejection rejection) {
        both(() -> first.onRejected(task, rejection), () -> next.onRejected(task, rejection));
    }

    @SuppressWarnings("ReferenceEquality") // both may throw one shared object, which cannot be suppressed in itself
    private static void both(Runnable first, Runnable next) {
        try {
            first.run();
        } catch (Throwable fault) {
            try {
                next.run();
            } catch (Throwable second) {
                if (second != fault) {
                    fault.addSuppressed(second);
                }
            }
            throw fault;
        }
        next.run();
    }
}
