package io.github.kobe.internal.group;

import io.github.kobe.Permit;
import io.github.kobe.PermitOptions;
import io.github.kobe.PermitResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskIdentity;
import io.github.kobe.internal.kernel.AttemptLimits;
import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.kernel.PermitRequest;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** A permit of a group and the request for it. They are one object, so that an acquire allocates nothing else. */
final class GroupPermit extends PermitRequest implements Permit, TaskIdentity {

    private final String groupKey;
    private final PermitOptions options;

    /** {@code null} if the request has no priority. */
    private final @Nullable AttemptState attempts;

    GroupPermit(String groupKey, PermitOptions options) {
        this.groupKey = groupKey;
        this.options = options;
        this.attempts = options.priority() == 0
                ? null
                : new AttemptState(options.priority(), AttemptLimits.NONE, AttemptLimits.NONE, false);
    }

    @Override
    public String groupKey() {
        return groupKey;
    }

    @Override
    public String taskId() {
        return options.taskId();
    }

    @Override
    public String tag() {
        return options.tag();
    }

    @Override
    protected @Nullable AttemptState attempts() {
        return attempts;
    }

    // ---- the request ---------------------------------------------------------------------------------------------

    /** Whether the request was admitted. For the caller, after it has waited for the outcome. */
    boolean wasAdmitted() {
        return isCompleted();
    }

    /** When it was queued. For a request that is queued or was not granted. */
    long queuedSince() {
        return lastQueuedAt();
    }

    /** It was not admitted, and will not get a permit. A request that was admitted was counted when its outcome was decided. */
    void rejected(Rejection rejection) {
        if (!wasAdmitted()) {
            countOutcomeAs(CounterSlots.rejected(rejection.reason()));
        }
    }

    RejectedTaskException exception(Rejection rejection) {
        return new RejectedTaskException(groupKey, taskId(), tag(), rejection);
    }

    PermitResult result(@Nullable Rejection rejection) {
        return rejection == null
                ? PermitResult.granted(this)
                : PermitResult.rejected(groupKey, taskId(), tag(), rejection);
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
    protected String counterTag() {
        return tag();
    }

    // ---- the work under the permit -------------------------------------------------------------------------------

    /** Runs {@code task} on the calling thread, then releases the permit if there is one. */
    <T> T call(Callable<T> task) throws Exception {
        Throwable error = null;
        try {
            return task.call();
        } catch (Throwable e) {
            error = e;
            throw e;
        } finally {
            workDone(error);
        }
    }

    /** As {@link #call}. */
    void run(Runnable task) {
        Throwable error = null;
        try {
            task.run();
        } catch (Throwable e) {
            error = e;
            throw e;
        } finally {
            workDone(error);
        }
    }

    @Override
    public void close() {
        workDone(null);
    }

    private void workDone(@Nullable Throwable error) {
        int slot = slotOf(error);
        if (isGranted()) {
            release(slot);
        } else {
            countOutcomeAs(slot); // it ran without a permit
        }
    }

    private static int slotOf(@Nullable Throwable error) {
        if (error == null) {
            return CounterSlots.SUCCEEDED;
        }
        boolean cancelled = error instanceof InterruptedException || error instanceof CancellationException;
        return cancelled ? CounterSlots.CANCELLED : CounterSlots.FAILED;
    }

    @Override
    public String toString() {
        String name = options.taskId().equals(PermitOptions.defaults().taskId()) ? "" : " '" + taskId() + "'";
        return "permit" + name + " of group '" + groupKey + "'" + (tag().isEmpty() ? "" : " [" + tag() + "]");
    }
}
