package io.github.kobe;

import io.github.kobe.internal.group.ExecutorName;
import io.github.kobe.internal.group.GroupEngine;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.Timer;

/** Makes executors whose threads and time a test controls. */
public final class SimGroups {

    private SimGroups() {}

    public static GroupExecutor of(GroupPolicy policy, TaskRunner runner, Timer timer) {
        return new GroupExecutor(
                new GroupEngine(ExecutorName.of("group executor", "groups", policy.name()), policy, runner, timer));
    }
}
