package io.github.kobe.scope;

import io.github.kobe.internal.kernel.CallbackMonitor;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Calls the hook of a scope. What the hook throws, or a call that does not return, does not disturb the caller. */
final class HookNotifier {

    private final ThreadHook hook;
    private final CallbackMonitor monitor;

    HookNotifier(ThreadHook hook, CallbackMonitor monitor) {
        this.hook = hook;
        this.monitor = monitor;
    }

    /** Which hook methods have been called for one task: completion waits until {@code onStart} has returned, and no start follows it. */
    static final class Progress {

        final Instant createdAt = Instant.now(); // the wall clock: users see it in TaskInfo
        private boolean starting; // guarded by the monitor, as are the next two
        private boolean completed;
        private @Nullable Runnable pendingCompletion;

        /** {@code onStart} is about to be called. False if the task has completed: then it is not called. */
        private synchronized boolean tryStart() {
            starting = !completed;
            return starting;
        }

        /** {@code onStart} has returned, or is not waited for any more: reports a completion that came meanwhile. */
        private void startReported() {
            Runnable pending;
            synchronized (this) {
                starting = false;
                pending = pendingCompletion;
                pendingCompletion = null;
            }
            if (pending != null) {
                pending.run();
            }
        }

        /** Runs {@code report} now, or when {@code onStart} has returned. */
        void completed(Runnable report) {
            synchronized (this) {
                completed = true;
                if (starting) {
                    pendingCompletion = report;
                    return;
                }
            }
            report.run();
        }
    }

    /** Calls {@code onStart}; false if {@code takeOver} has continued on another thread. */
    boolean started(ScopeTaskImpl<?> task, Runnable takeOver) {
        Progress progress = task.hookProgress();
        if (!progress.tryStart()) {
            return true;
        }
        Runnable reportAndTakeOver = () -> {
            progress.startReported();
            takeOver.run();
        };
        boolean returned = call("hook onStart", task, () -> hook.onStart(task.info()), reportAndTakeOver);
        if (returned) {
            progress.startReported();
        }
        return returned;
    }

    /** Calls the method for the outcome; false if {@code takeOver} has continued on another thread. */
    boolean completed(ScopeTaskImpl<?> task, TaskCompletion completion, Duration duration, Runnable takeOver) {
        TaskInfo info = task.info();
        return switch (completion.state()) {
            case SUCCESS -> call("hook onSuccess", task, () -> hook.onSuccess(info, duration), takeOver);
            case FAILED -> {
                Throwable error = Objects.requireNonNull(completion.error());
                yield call("hook onFailure", task, () -> hook.onFailure(info, error, duration), takeOver);
            }
            default -> call("hook onCancel", task, () -> hook.onCancel(info, duration), takeOver);
        };
    }

    /** Calls {@code onRetry}. A hook that does not return delays only this task. */
    void retrying(ScopeTaskImpl<?> task, int failedAttempts, Throwable error, Duration delay) {
        monitor.guard(
                "hook onRetry", task, inTask(task, () -> hook.onRetry(task.info(), failedAttempts, error, delay)));
    }

    private boolean call(String what, ScopeTaskImpl<?> task, Runnable callback, Runnable takeOver) {
        return monitor.call(what, task, inTask(task, callback), takeOver);
    }

    /**
     * A hook has the context of its task. It holds the task up, so it counts as part of the task: it must not close the scope, and its
     * submissions do not wait for permits.
     */
    private static Runnable inTask(ScopeTaskImpl<?> task, Runnable callback) {
        return () -> {
            Object before = CurrentScope.enter(task);
            try {
                task.inContext(() -> {
                    callback.run();
                    return true;
                });
            } finally {
                CurrentScope.leave(before);
            }
        };
    }
}
