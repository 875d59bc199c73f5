package io.github.kobe.scope;

import io.github.kobe.internal.kernel.CallbackMonitor;
import java.time.Duration;
import java.util.Objects;

/** Tells a hook what happens, so that nothing the hook does can disturb the one who tells it. */
final class HookNotifier {

    private final ThreadHook hook;
    private final CallbackMonitor watch;

    HookNotifier(ThreadHook hook, CallbackMonitor watch) {
        this.hook = hook;
        this.watch = watch;
    }

    /** Tells it of a start; false if {@code takeOver} has gone on in the caller's stead. */
    boolean started(ScopeTaskImpl<?> task, Runnable takeOver) {
        HookProgress telling = task.telling();
        if (!telling.startBegins()) {
            return true;
        }
        Runnable overtake = () -> {
            telling.startIsOver();
            takeOver.run();
        };
        boolean returned = call("hook onStart", task, () -> hook.onStart(task.info()), overtake);
        if (returned) {
            telling.startIsOver();
        }
        return returned;
    }

    /** Tells it of an end; false if {@code takeOver} has gone on in the caller's stead. */
    boolean ended(ScopeTaskImpl<?> task, TaskCompletion end, Duration duration, Runnable takeOver) {
        TaskInfo info = task.info();
        return switch (end.state()) {
            case SUCCESS -> call("hook onSuccess", task, () -> hook.onSuccess(info, duration), takeOver);
            case FAILED -> {
                Throwable error = Objects.requireNonNull(end.error());
                yield call("hook onFailure", task, () -> hook.onFailure(info, error, duration), takeOver);
            }
            default -> call("hook onCancel", task, () -> hook.onCancel(info, duration), takeOver);
        };
    }

    /**
     * A hook has the context of the task that it is told of. It holds that task up, so it is in it: it must not wait for the scope's end,
     * or for a place.
     */
    private boolean call(String what, ScopeTaskImpl<?> task, Runnable telling, Runnable takeOver) {
        Runnable inside = () -> {
            Object before = CurrentScope.enter(task);
            try {
                task.inContext(telling);
            } finally {
                CurrentScope.leave(before);
            }
        };
        return watch.call(what, task, inside, takeOver);
    }
}
