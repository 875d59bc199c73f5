package io.github.kobe;

import io.github.kobe.internal.group.CounterSlots;
import io.github.kobe.internal.kernel.PermitRequest;

/**
 * A permit of a group, held until this object is closed. See {@link GroupExecutor#acquire}.
 *
 * <p>Safe for use by several threads. Any thread may close it, not only the one that acquired it. Actions before the close happen-before
 * the start of the task that gets the permit next.
 */
public final class Permit implements AutoCloseable {

    private final String groupKey;
    private final PermitRequest request;

    Permit(String groupKey, PermitRequest request) {
        this.groupKey = groupKey;
        this.request = request;
    }

    /** Returns the key of the permit's group. */
    public String groupKey() {
        return groupKey;
    }

    /** Releases the permit. Only the first call has an effect. May be called after a shutdown of the executor. Never throws. */
    @Override
    public void close() {
        request.release(CounterSlots.SUCCEEDED);
    }

    @Override
    public String toString() {
        return "permit of group '" + groupKey + "'";
    }
}
