package io.github.kobe;

import io.github.kobe.internal.kernel.PermitRequest;

/**
 * A place under a group's limits, held by whoever has this object until it is closed. See {@link GroupExecutor#acquire}.
 *
 * <p>Safe for use by many threads; it need not be closed by the thread that got it. What was done before it was closed happens
 * before whatever starts on its place.
 */
public final class Permit implements AutoCloseable {

    private final String groupKey;
    private final PermitRequest ticket;

    Permit(String groupKey, PermitRequest ticket) {
        this.groupKey = groupKey;
        this.ticket = ticket;
    }

    /** The group whose place this is. */
    public String groupKey() {
        return groupKey;
    }

    /** Gives the place back. Only the first call does; after a shutdown of the executor it does no harm. Never throws. */
    @Override
    public void close() {
        ticket.release(CounterSlots.SUCCEEDED);
    }

    @Override
    public String toString() {
        return "permit of group '" + groupKey + "'";
    }
}
