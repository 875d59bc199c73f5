package io.github.kobe;

import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.Timer;

/** Groups on threads and time that a test moves along. */
public final class SimGroups {

    private SimGroups() {}

    public static GroupExecutor of(GroupPolicy policy, TaskRunner runner, Timer timer) {
        return new GroupExecutor(policy, null, runner, timer);
    }
}
