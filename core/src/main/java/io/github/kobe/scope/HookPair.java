package io.github.kobe.scope;

import io.github.kobe.internal.util.Throwables;
import java.time.Duration;

/** Two hooks as one; see {@link ThreadHook#andThen}. */
record HookPair(ThreadHook first, ThreadHook next) implements ThreadHook {

    @Override
    public void onStart(TaskInfo info) {
        Throwables.runBoth(() -> first.onStart(info), () -> next.onStart(info));
    }

    @Override
    public void onSuccess(TaskInfo info, Duration duration) {
        Throwables.runBoth(() -> first.onSuccess(info, duration), () -> next.onSuccess(info, duration));
    }

    @Override
    public void onFailure(TaskInfo info, Throwable error, Duration duration) {
        Throwables.runBoth(() -> first.onFailure(info, error, duration), () -> next.onFailure(info, error, duration));
    }

    @Override
    public void onCancel(TaskInfo info, Duration duration) {
        Throwables.runBoth(() -> first.onCancel(info, duration), () -> next.onCancel(info, duration));
    }
}
