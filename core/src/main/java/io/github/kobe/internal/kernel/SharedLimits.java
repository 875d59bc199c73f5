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
 * sees the other. The same holds for the number of leased permits: its owner writes it, and then has the value read it.
 */
final class SharedLimits {

    private final ConcurrentHashMap<SharedKey, Limit> byKey = new ConcurrentHashMap<>();
    private final LimitSource source;
    private final Supplier<ReadyQueue> newReadyQueue;
    private final @Nullable LeaseControl leases;

    /** @param leases {@code null} if no limit is shared with other JVMs */
    SharedLimits(LimitSource source, Supplier<ReadyQueue> newReadyQueue, @Nullable LeaseControl leases) {
        this.source = source;
        this.newReadyQueue = newReadyQueue;
        this.leases = leases;
    }

    /** A group that belongs to {@code membership} is about to be registered. {@link #leave} undoes this. */
    Limit join(SharedMembership membership) {
        Limit limit = Objects.requireNonNull(
                byKey.compute(membership.key(), (key, known) -> (known == null ? create(membership) : known).joined()));
        apply(limit);
        return limit;
    }

    private Limit create(SharedMembership membership) {
        return new Limit(membership.key(), newReadyQueue.get(), membership.max(), membership.leased() ? leases : null);
    }

    /** A group that belonged to {@code limit} has left the registry. */
    void leave(Limit limit) {
        SharedKey key = Objects.requireNonNull(limit.key());
        Limit left = byKey.computeIfPresent(key, (k, known) -> known == limit ? known.left() : known);
        if (left == null && leases != null && limit.isLeased()) {
            leases.retired(key);
        }
    }

    /** Has {@code limit} read the settings, and what is leased. Returns how many permits are in use, read after the change. */
    int apply(Limit limit) {
        int inUse = limit.resize(source);
        if (leases != null) {
            leases.reportFault();
        }
        return inUse;
    }

    @Nullable
    Limit get(SharedKey key) {
        return byKey.get(key);
    }

    Collection<Limit> all() {
        return byKey.values();
    }
}
