package io.github.kobe;

import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.util.Faults;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A task that was not let in, on its way to the end that a policy or a handler gives it. */
final class RejectedTask<T> extends GroupTaskImpl<T> {

    private final Rejection rejection;
    private final String tag;
    private final @Nullable Group refusedBy;
    private final Faults faults;
    private final @Nullable RejectionHandler handler;
    private @Nullable RejectedTaskException thrown; // what waiters get instead of a result

    RejectedTask(
            GroupTaskImpl<T> refused,
            Rejection rejection,
            @Nullable ListenerNotifier announcer,
            @Nullable RejectionHandler handler,
            Faults faults) {
        super(refused.groupKey(), refused.taskId(), refused.task(), announcer);
        this.rejection = rejection;
        this.tag = refused.tag();
        this.refusedBy = refused.group();
        this.handler = handler;
        this.faults = faults;
    }

    void abort() {
        thrown = new RejectedTaskException(groupKey(), taskId(), tag, rejection);
        discard();
    }

    void discard() {
        dropWork();
        completeUnadmitted(rejected());
    }

    private GroupResult<T> rejected() {
        return GroupResult.rejected(groupKey(), taskId(), rejection);
    }

    /** On a thread of its own: has the handler decide. */
    @Override
    protected GroupResult<T> execute() {
        Callable<T> task = task();
        dropWork();
        try {
            @Nullable GroupResult<T> decided = handler == null ? null : handler.onRejected(groupKey(), taskId(), task);
            if (decided != null) {
                boolean saysNotWhy = decided.status() == TaskStatus.REJECTED && decided.rejection() == null;
                return saysNotWhy ? rejected() : decided;
            }
            faults.report("rejection handler", this, "returned null, taken as REJECTED,");
        } catch (RejectedTaskException e) {
            thrown = e;
        } catch (Throwable e) {
            faults.report("rejection handler", this, e);
        }
        return rejected();
    }

    /** Its end may be an exception, which is published the long way. */
    @Override
    protected boolean hasListeners() {
        return true;
    }

    /** The handler's run is not a start of the task. */
    @Override
    protected boolean notifyStarted(Runnable takeOver) {
        return true;
    }

    @Override
    void publish(GroupResult<T> result) {
        RejectedTaskException e = thrown;
        if (e != null && result.status() == TaskStatus.REJECTED) {
            publishException(e);
        } else {
            super.publish(result);
        }
    }

    @Override
    Rejection rejection() {
        return rejection;
    }

    /** That of the task, not the one that a handler runs in. */
    @Override
    protected @Nullable Group countingHome() {
        return refusedBy;
    }

    @Override
    protected String counterTag() {
        return tag;
    }

    @Override
    public String tag() {
        return tag;
    }
}
