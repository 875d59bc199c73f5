package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** This library. */
final class Library implements Caller {

    /** What this side is called in a comparison. */
    static final String NAME = "ours";

    private final GroupExecutor executor;

    private Library(GroupPolicy policy) {
        executor = GroupExecutor.newVirtualThreadExecutor(policy);
    }

    static Supplier<Contender> with(UnaryOperator<GroupPolicy.Builder> settings) {
        GroupPolicy policy = settings.apply(GroupPolicy.builder()).build();
        return () -> new Library(policy);
    }

    /** With nothing but a limit for each group. */
    static Supplier<Contender> ofLimit(int limit) {
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
    public void awaitQuiet() throws InterruptedException {
        Await.until("no group is known", () -> executor.activeGroupKeys().isEmpty());
    }

    @Override
    public void close() {
        executor.close();
    }
}
