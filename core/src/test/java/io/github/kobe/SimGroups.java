package io.github.kobe;

import io.github.kobe.internal.group.ExecutorName;
import io.github.kobe.internal.group.GroupEngine;
import io.github.kobe.internal.kernel.PermitLeases;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.time.Timer;

/** Makes executors whose threads and time a test controls. */
public final class SimGroups {

    private SimGroups() {}

    public static GroupExecutor of(GroupPolicy policy, TaskRunner runner, Timer timer) {
        return new GroupExecutor(
                new GroupEngine(ExecutorName.of("group executor", "groups", policy.name()), policy, runner, timer));
    }

    /** An executor on threads and time of the JVM, with limits of which {@code leases} holds the permits. */
    public static GroupExecutor leasing(GroupPolicy policy, PermitLeases leases) {
        ExecutorName name = ExecutorName.of("group executor", "groups", policy.name());
        TaskRunner threads = TaskRunner.freshVirtualThreads(name.threadPrefix());
        return new GroupExecutor(new GroupEngine(name, policy, threads, SystemTimer.shared(), leases));
    }
}
