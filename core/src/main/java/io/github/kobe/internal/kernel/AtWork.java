package io.github.kobe.internal.kernel;

import static io.github.kobe.internal.kernel.GroupState.freePermits;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** The tickets of a group that have been let out of line: those on a thread, those between two attempts, and who sees to it that none takes too long. */
abstract class AtWork extends Places {

    private static final int SLOTS_EACH = 16; // more than a running set has for as many as it is made for
    private static final VarHandle AWAITING_RETRY;

    static {
        try {
            AWAITING_RETRY = MethodHandles.lookup().findVarHandle(AtWork.class, "awaitingRetry", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final RunningTasks running;
    private volatile int awaitingRetry; // tickets between two attempts

    /** Made, under the monitor, for the first ticket that may not wait or run for ever. */
    private volatile @Nullable DeadlineMonitor deadlineMonitor;

    /** @param busy whether it is the only one of its kind, or one of a few, and has a great many at once if nothing limits it */
    AtWork(String key, GroupLimits limits, Dispatcher dispatcher, TaskRunner runner, long flags, boolean busy) {
        super(key, limits, dispatcher, runner, flags);
        boolean manyAtOnce = busy && limits.limit() == Integer.MAX_VALUE;
        this.running = new RunningTasks(limits.limit(), manyAtOnce || reusesThreads());
    }

    final RunningTasks running() {
        return running;
    }

    /** Places in use; a figure to look at, which may be off while limits change. */
    public int active() {
        return Math.max(0, limits.effectiveLimit() - freePermits(state));
    }

    // ---- tickets that come again ---------------------------------------------------------------------------------

    /** A ticket begins to wait for another attempt, and still has its place: the group will not retire before it is back. */
    void awaitingRetry() {
        AWAITING_RETRY.getAndAdd(this, 1);
    }

    /** It is in line or on a thread again, or has ended. */
    void retryResolved() {
        AWAITING_RETRY.getAndAdd(this, -1);
        retireIfDone(state);
    }

    /** Tickets that wait for another attempt. */
    public int awaitingRetryCount() {
        return Math.max(0, awaitingRetry);
    }

    // ---- tickets that may not wait or run for ever ---------------------------------------------------------------

    final DeadlineMonitor deadlineMonitor() {
        DeadlineMonitor known = deadlineMonitor;
        return known == null ? createDeadlineMonitor() : known;
    }

    private synchronized DeadlineMonitor createDeadlineMonitor() {
        DeadlineMonitor known = deadlineMonitor;
        if (known == null) {
            known = new DeadlineMonitor(asGroup());
            deadlineMonitor = known;
        }
        return known;
    }

    /** The group has retired. */
    final void stopDeadlineMonitor() {
        DeadlineMonitor known = deadlineMonitor;
        if (known != null) {
            known.stop();
        }
    }

    /** See {@link DispatcherConfig#sweepCapacity}. */
    final int sweepCapacity() {
        return dispatcher.sweepCapacity();
    }

    /** Whether so many have a place or wait for another attempt, or once did, that going through them all takes its time. */
    final boolean exceedsSweepCapacity() {
        return active() + (long) awaitingRetryCount() > sweepCapacity()
                || running.length() > (long) SLOTS_EACH * Math.max(SLOTS_EACH, sweepCapacity());
    }
}
