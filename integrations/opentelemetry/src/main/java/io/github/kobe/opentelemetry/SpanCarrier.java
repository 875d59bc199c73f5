package io.github.kobe.opentelemetry;

import io.github.kobe.ContextCarrier;
import io.github.kobe.TaskIdentity;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Carries the context of the submitter, with the span of the task in it. */
final class SpanCarrier implements ContextCarrier {

    private final Supplier<@Nullable Captured> ofScopeTask;
    private final Function<TaskIdentity, @Nullable Captured> ofTask;

    /**
     * @param ofScopeTask captures for a task of a scope
     * @param ofTask captures for a task of an executor, whose listener has been told of the submission
     */
    SpanCarrier(Supplier<@Nullable Captured> ofScopeTask, Function<TaskIdentity, @Nullable Captured> ofTask) {
        this.ofScopeTask = ofScopeTask;
        this.ofTask = ofTask;
    }

    @Override
    public @Nullable Captured capture() {
        return ofScopeTask.get();
    }

    @Override
    public @Nullable Captured capture(TaskIdentity task) {
        return ofTask.apply(task);
    }

    @Override
    public Captured empty() {
        return OtelContextCarrier.EMPTY;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return OtelContextCarrier.isOne(other);
    }

    @Override
    public int hashCode() {
        return OtelContextCarrier.HASH;
    }
}
