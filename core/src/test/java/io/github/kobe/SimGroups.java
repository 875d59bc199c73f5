package io.github.kobe;

import io.github.kobe.internal.Runner;
import io.github.kobe.internal.Timer;

/** Groups on threads and time that a test moves along. */
public final class SimGroups {

    private SimGroups() {}

    public static GroupExecutor of(GroupPolicy policy, Runner runner, Timer timer) {
        return new GroupExecutor(policy, null, runner, timer);
    }
}
