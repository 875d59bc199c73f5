package io.github.kobe.internal.kernel;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One permit that several holders have: the task or request that took it, requests that the same thread made while it held the permit, and
 * waits of that thread. The last one that gives it back releases it.
 *
 * <pre>
 *   a request for the same group   has the permit of the group and the global one of the first holder
 *   a request for another group    has a permit of its own group, the global one of the first holder, and those of shared limits that both groups have
 *   a wait                         keeps the permit, which it may have lent, if another thread closes it meanwhile
 * </pre>
 *
 * <p>The permit of the first holder's group stays in use until the last holder has left, also if that one needs the global permit alone. That
 * makes a difference only if a permit is closed by another thread than the one that acquired it.
 */
final class PermitShare implements PermitSource {

    private final KernelTask<?> first;
    private final @Nullable PermitSource source; // of the first holder; null if it took the permit from its group
    private final long start;
    private final AtomicInteger holders = new AtomicInteger(2); // the first one, and the one that joins it

    private PermitShare(KernelTask<?> first, @Nullable PermitSource source) {
        this.first = first;
        this.source = source;
        this.start = first.startedAt;
    }

    /**
     * Joins {@code holder}, which the calling thread has. The caller gives the permit back later.
     *
     * @return {@code null} if another thread has released it meanwhile
     */
    static @Nullable PermitShare join(KernelTask<?> holder) {
        Lending lending = holder.home().dispatcher.lending();
        for (; ; ) {
            PermitSource known = lending.sourceOf(holder);
            if (known instanceof PermitShare shared) {
                return shared.tryJoin() ? shared : null;
            }
            PermitShare created = new PermitShare(holder, known);
            if (lending.replaceSource(holder, known, created)) {
                // A holder with a source gives its permit back there, so it finds the new one. A holder without one
                // looks for none unless
                // it is marked, and the mark fails if it was released before.
                if (known != null || holder.markShared()) {
                    return created;
                }
                lending.forget(holder);
                return null;
            }
        }
    }

    private boolean tryJoin() {
        for (; ; ) {
            int now = holders.get();
            if (now == 0) {
                return false;
            }
            if (holders.compareAndSet(now, now + 1)) {
                return true;
            }
        }
    }

    /** Where the first holder has the permit from; {@code null} if it took it from its group. */
    @Nullable
    PermitSource source() {
        return source;
    }

    /** For a holder: one more joins. */
    PermitShare again() {
        holders.incrementAndGet();
        return this;
    }

    @Override
    public void giveBack(KernelTask<?> holder, long startedAt, long now, boolean completes) {
        leave(now, completes);
    }

    void leave(long now, boolean completes) {
        if (holders.decrementAndGet() > 0) {
            return;
        }
        if (source == null) {
            first.home().release(first.cost(), start, now);
        } else {
            source.giveBack(first, start, now, completes);
        }
    }

    /** The source of a holder that has a permit of its own group, and shares the global one. */
    PermitSource globalOnly() {
        return (holder, startedAt, now, completes) -> {
            Group group = (Group) holder.home();
            group.dispatcher.scheduler().releaseGroupPermit(group, (Group) first.home(), holder.cost(), startedAt, now);
            leave(now, completes);
        };
    }
}
