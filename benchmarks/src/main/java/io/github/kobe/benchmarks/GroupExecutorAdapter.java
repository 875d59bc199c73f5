package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** This library's {@link GroupExecutor}. */
final class GroupExecutorAdapter implements ExecutorAdapter {

    /** The name of this candidate in a comparison. */
    static final String NAME = "GroupExecutor";

    private final GroupExecutor executor;
    private final @Nullable Attachment attachment;

    /** Something that is attached to an executor, such as metrics. */
    interface Attachment {
        void detach();
    }

    private GroupExecutorAdapter(GroupPolicy policy, @Nullable Function<GroupExecutor, Attachment> attach) {
        executor = GroupExecutor.newVirtualThreadExecutor(policy);
        attachment = attach == null ? null : attach.apply(executor);
    }

    static Supplier<ExecutorAdapter> with(UnaryOperator<GroupPolicy.Builder> settings) {
        GroupPolicy policy = settings.apply(GroupPolicy.builder()).build();
        return () -> new GroupExecutorAdapter(policy, null);
    }

    /** Returns executors that have something attached from the beginning until they are closed. */
    static Supplier<ExecutorAdapter> attached(
            UnaryOperator<GroupPolicy.Builder> settings, Function<GroupExecutor, Attachment> attach) {
        GroupPolicy policy = settings.apply(GroupPolicy.builder()).build();
        return () -> new GroupExecutorAdapter(policy, attach);
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
        if (attachment != null) {
            attachment.detach();
        }
    }
}
