package io.github.kobe;

import io.github.kobe.internal.Backstage;
import io.github.kobe.internal.Dispatcher;
import io.github.kobe.internal.Histogram;
import io.github.kobe.internal.ReadyQueue;
import io.github.kobe.internal.Runner;
import io.github.kobe.internal.Timer;
import org.jspecify.annotations.Nullable;

/** What the other faces may do with a {@link GroupExecutor} that users may not. */
final class GroupBackstage extends Backstage<GroupPolicy, GroupExecutor> {

    @Override
    protected GroupExecutor executor(GroupPolicy policy, @Nullable ReadyQueue ready, Runner runner, Timer timer) {
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
