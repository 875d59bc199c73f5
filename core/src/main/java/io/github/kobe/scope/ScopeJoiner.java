package io.github.kobe.scope;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Runs alternatives for one result as tasks of a scope: under its deadline, retry policy and limit, with its hooks. Tasks that are not needed
 * any more are cancelled before the result is returned. If there is no result, these throw {@link AggregateException} with all
 * failures, or what {@link ThreadScope#join} says.
 */
public final class ScopeJoiner {

    private final ThreadScope scope;

    ScopeJoiner(ThreadScope scope) {
        this.scope = scope;
    }

    /** As {@link ThreadScope#join(JoinStrategy, Collection)}. */
    public <T extends @Nullable Object, R extends @Nullable Object> R join(
            JoinStrategy<T, R> strategy, Collection<? extends Callable<? extends T>> callables) {
        return scope.join(strategy, callables);
    }

    /** As {@link ThreadScope#join(JoinStrategy, Callable[])}. */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final <T extends @Nullable Object, R extends @Nullable Object> R join(
            JoinStrategy<T, R> strategy, Callable<? extends T>... callables) {
        return scope.join(strategy, callables);
    }

    /** See {@link JoinStrategy#firstSuccess}. */
    public <T extends @Nullable Object> T firstSuccess(Collection<? extends Callable<? extends T>> callables) {
        return scope.join(JoinStrategy.firstSuccess(), callables);
    }

    /** See {@link JoinStrategy#firstSuccess}. */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final <T extends @Nullable Object> T firstSuccess(Callable<? extends T>... callables) {
        return scope.join(JoinStrategy.firstSuccess(), Arrays.asList(Objects.requireNonNull(callables, "callables")));
    }

    /** As {@link #quorum(int, Callable[])}. */
    public <T extends @Nullable Object> List<T> quorum(int n, Collection<? extends Callable<? extends T>> callables) {
        return scope.join(JoinStrategy.quorum(n), callables);
    }

    /**
     * See {@link JoinStrategy#quorum}.
     *
     * @throws IllegalArgumentException if {@code n} is less than 1, or more than there are callables
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final <T extends @Nullable Object> List<T> quorum(int n, Callable<? extends T>... callables) {
        return scope.join(JoinStrategy.quorum(n), Arrays.asList(Objects.requireNonNull(callables, "callables")));
    }

    /**
     * See {@link JoinStrategy#hedged}.
     *
     * @throws IllegalArgumentException if {@code delay} is not positive, or there is no backup
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final <T extends @Nullable Object> T hedged(
            Duration delay, Callable<? extends T> primary, Callable<? extends T>... backups) {
        List<Callable<? extends T>> all = new ArrayList<>();
        all.add(Objects.requireNonNull(primary, "primary"));
        Collections.addAll(all, Objects.requireNonNull(backups, "backups"));
        return scope.join(JoinStrategy.hedged(delay), all);
    }
}
