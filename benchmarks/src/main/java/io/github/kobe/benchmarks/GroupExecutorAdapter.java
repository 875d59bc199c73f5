package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** This library's {@link GroupExecutor}. */
final class GroupExecutorAdapter implements ExecutorAdapter {

    /** The name of this candidate in a comparison. */
    static final String NAME = "GroupExecutor";

    private final GroupExecutor executor;

    private GroupExecutorAdapter(GroupPolicy policy) {
        executor = GroupExecutor.newVirtualThreadExecutor(policy);
    }

    static Supplier<ExecutorAdapter> with(UnaryOperator<GroupPolicy.Builder> settings) {
        GroupPolicy policy = settings.apply(GroupPolicy.builder()).build();
        return () -> new GroupExecutorAdapter(policy);
    }

    /** Returns executors with a limit for each group and nothing else. */
    static Supplier<ExecutorAdapter> withLimit(int limit) {
        return with(policy -> policy.defaultMaxConcurrencyPerGroup(limit));
    }

    @Override
    public Object submit(String group, Callable<?> task) {
        return executor.submit(group, "task", task);
    }

    @Override
    public Object call(String group, Callable<?> task) throws Exception {
        return executor.call(group, task);
    }

    @Override
    public void awaitIdleGroupsRemoved() throws InterruptedException {
        Await.until(
                "the executor has removed all groups",
                () -> executor.activeGroupKeys().isEmpty());
    }

    @Override
    public void close() {
        executor.close();
    }
}
