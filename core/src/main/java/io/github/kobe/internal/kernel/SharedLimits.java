package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.ReadyQueue;
import java.util.Collection;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The values of shared limits that groups belong to. A value comes with its first group and goes with its last one, so nothing is left of values that are not
 * in use.
 *
 * <p><b>A setting against a first group.</b> A setting is written, then looked for here. A new value is entered here, then reads the settings. One of the two
 * sees the other.
 */
final class SharedLimits {

    private final ConcurrentHashMap<SharedKey, Limit> byKey = new ConcurrentHashMap<>();
    private final LimitSource source;
    private final Supplier<ReadyQueue> newReadyQueue;

    SharedLimits(LimitSource source, Supplier<ReadyQueue> newReadyQueue) {
        this.source = source;
        this.newReadyQueue = newReadyQueue;
    }

    /** A group that belongs to {@code membership} is about to be registered. {@link #leave} undoes this. */
    Limit join(SharedMembership membership) {
        Limit limit = Objects.requireNonNull(
                byKey.compute(membership.key(), (key, known) -> (known == null ? create(membership) : known).joined()));
        apply(limit);
        return limit;
    }

    private Limit create(SharedMembership membership) {
        return new Limit(
                membership.key(),
                newReadyQueue.get(),
                new GlobalLimiter(membership.max(), Integer.MAX_VALUE),
                membership.max());
    }

    /** A group that belonged to {@code limit} has left the registry. */
    void leave(Limit limit) {
        byKey.computeIfPresent(
                Objects.requireNonNull(limit.key()), (key, known) -> known == limit ? known.left() : known);
    }

    /** Has {@code limit} read the settings. */
    void apply(Limit limit) {
        SharedKey key = Objects.requireNonNull(limit.key());
        limit.resize(() -> source.sharedInForce(key, limit.resolved()));
    }

    @Nullable
    Limit get(SharedKey key) {
        return byKey.get(key);
    }

    Collection<Limit> all() {
        return byKey.values();
    }
}
