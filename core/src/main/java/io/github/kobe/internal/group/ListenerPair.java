package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import io.github.kobe.Rejection;
import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskLifecycleListener;
import io.github.kobe.internal.util.Throwables;
import java.time.Duration;

/** Calls two listeners; see {@link TaskLifecycleListener#andThen}. Each callback is passed on to the same method of both. */
public record ListenerPair(TaskLifecycleListener first, TaskLifecycleListener next) implements TaskLifecycleListener {

    @Override
    public boolean mayBlock() {
        return first.mayBlock() || next.mayBlock();
    }

    @Override
    public boolean observesStarts() {
        return first.observesStarts() || next.observesStarts();
    }

    @Override
    public void onSubmitted(String groupKey, String taskId) {
        Throwables.runBoth(() -> first.onSubmitted(groupKey, taskId), () -> next.onSubmitted(groupKey, taskId));
    }

    @Override
    public void onStarted(String groupKey, String taskId) {
        Throwables.runBoth(() -> first.onStarted(groupKey, taskId), () -> next.onStarted(groupKey, taskId));
    }

    @Override
    public void onCompleted(String groupKey, String taskId, GroupResult<?> result) {
        Throwables.runBoth(
                () -> first.onCompleted(groupKey, taskId, result), () -> next.onCompleted(groupKey, taskId, result));
    }

    @Override
    public void onRejected(String groupKey, String taskId, String reason) {
        Throwables.runBoth(
                () -> first.onRejected(groupKey, taskId, reason), () -> next.onRejected(groupKey, taskId, reason));
    }

    @Override
    public void onSubmitted(TaskIdentity task) {
        Throwables.runBoth(() -> first.onSubmitted(task), () -> next.onSubmitted(task));
    }

    @Override
    public void onStarted(TaskIdentity task) {
        Throwables.runBoth(() -> first.onStarted(task), () -> next.onStarted(task));
    }

    @Override
    public void onStarted(TaskIdentity task, Duration waited) {
        Throwables.runBoth(() -> first.onStarted(task, waited), () -> next.onStarted(task, waited));
    }

    @Override
    public void onRetry(TaskIdentity task, int failedAttempts, Throwable fault, Duration delay) {
        Throwables.runBoth(
                () -> first.onRetry(task, failedAttempts, fault, delay),
                () -> next.onRetry(task, failedAttempts, fault, delay));
    }

    @Override
    public void onCompleted(TaskIdentity task, GroupResult<?> result) {
        Throwables.runBoth(() -> first.onCompleted(task, result), () -> next.onCompleted(task, result));
    }

    @Override
    public void onRejected(TaskIdentity task, Rejection rejection) {
        Throwables.runBoth(() -> first.onRejected(task, rejection), () -> next.onRejected(task, rejection));
    }
}
