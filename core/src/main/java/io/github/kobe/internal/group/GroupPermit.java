package io.github.kobe.internal.group;

import io.github.kobe.Permit;
import io.github.kobe.RejectionReason;
import io.github.kobe.internal.kernel.PermitRequest;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;

/** A permit of a group and the request for it. They are one object, so that an acquire allocates nothing else. */
final class GroupPermit extends PermitRequest implements Permit {

    private final String groupKey;

    GroupPermit(String groupKey) {
        this.groupKey = groupKey;
    }

    @Override
    public String groupKey() {
        return groupKey;
    }

    /** Whether the request was admitted. For the caller, after it has waited for the outcome. */
    boolean wasAdmitted() {
        return isCompleted();
    }

    /** When it was queued. For a request that is queued or was not granted. */
    long queuedSince() {
        return lastQueuedAt();
    }

    @Override
    public void close() {
        release(CounterSlots.SUCCEEDED);
    }

    /** Runs {@code task} on the calling thread, then releases the permit if there is one. */
    <T> T call(Callable<T> task) throws Exception {
        int slot = CounterSlots.FAILED;
        try {
            T value = task.call();
            slot = CounterSlots.SUCCEEDED;
            return value;
        } catch (InterruptedException | CancellationException e) {
            slot = CounterSlots.CANCELLED;
            throw e;
        } finally {
            if (isGranted()) {
                release(slot);
            } else {
                countAs(slot);
            }
        }
    }

    /** A granted request is counted when its permit is released. */
    @Override
    protected int counterSlot(Object result) {
        return switch ((Result) result) {
            case GRANTED -> -1;
            case WITHDRAWN, STOPPED -> CounterSlots.CANCELLED;
            case EXPIRED -> CounterSlots.rejected(RejectionReason.EXPIRED);
            case DISPLACED -> CounterSlots.rejected(RejectionReason.GROUP_QUEUE_FULL);
        };
    }

    @Override
    public String toString() {
        return "permit of group '" + groupKey + "'";
    }
}
