package io.github.kobe;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.kernel.Backstage;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.stats.Histogram;
import io.github.kobe.internal.time.Timer;
import org.jspecify.annotations.Nullable;

/** What the other faces may do with a {@link GroupExecutor} that users may not. */
final class GroupBackstage extends Backstage<GroupPolicy, GroupExecutor> {

    @Override
    protected GroupExecutor executor(GroupPolicy policy, @Nullable ReadyQueue ready, TaskRunner runner, Timer timer) {
        return new GroupExecutor(policy, ready, runner, timer);
    }

    @Override
    protected Dispatcher kernel(GroupExecutor executor) {
        return executor.dispatcher;
    }

    @Override
    protected TimeStats figures(Histogram histogram) {
        return TimeStats.of(histogram);
    }
}
