package io.github.kobe.internal.group;

import io.github.kobe.PermitOptions;
import io.github.kobe.ShutdownMode;
import io.github.kobe.ShutdownReport;
import io.github.kobe.ShutdownReport.DroppedTask;
import io.github.kobe.ShutdownReport.RunningTask;
import io.github.kobe.TaskIdentity;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.KernelTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One call of a shutdown: its steps, and what it found. Tasks may be dropped by other threads, so the lists are guarded by the monitor. */
final class ShutdownProcedure {

    private static final String PERMIT = PermitOptions.defaults().taskId();

    private final Dispatcher dispatcher;
    private final GroupEngine.Lifecycle lifecycle;
    private final List<DroppedTask> dropped = new ArrayList<>();
    private final List<RunningTask> running = new ArrayList<>();
    private long droppedCount;
    private long runningCount;

    ShutdownProcedure(Dispatcher dispatcher, GroupEngine.Lifecycle lifecycle) {
        this.dispatcher = dispatcher;
        this.lifecycle = lifecycle;
    }

    /**
     * Shuts down. If the calling thread is interrupted while it waits, the time is over, and its interrupt flag is set again.
     *
     * <p>Another call may run at the same time, in another mode. Dropping and stopping may be done by both. Each waits for the same
     * termination, so the stricter mode ends the wait of the other.
     */
    ShutdownReport run(ShutdownMode mode, long nanos) {
        lifecycle.close();
        if (mode != ShutdownMode.DRAIN) {
            dropQueued();
        }
        if (mode == ShutdownMode.STOP) {
            lifecycle.stop();
        }
        boolean completed = awaitTermination(nanos);
        if (!completed) {
            dropQueued(); // after another mode than DRAIN there is nothing left to drop
            dispatcher.forEachRunning(this::addRunning, this::addPermits);
        }
        if (mode != ShutdownMode.STOP) {
            lifecycle.stop(); // in any case: it waits until the outcomes are published
        }
        return report(completed);
    }

    private synchronized ShutdownReport report(boolean completed) {
        return new ShutdownReport(completed, dropped, droppedCount, running, runningCount);
    }

    private boolean awaitTermination(long nanos) {
        try {
            return lifecycle.awaitTermination(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void dropQueued() {
        dispatcher.dropQueued(this::addDropped);
    }

    private synchronized void addDropped(String groupKey, KernelTask<?> task, long waitedNanos) {
        if (!(task instanceof TaskIdentity identity)) {
            return; // of the kernel's own: the request of a thread whose permit is still lent
        }
        droppedCount++;
        if (dropped.size() < ShutdownReport.MAX_LISTED) {
            dropped.add(new DroppedTask(
                    identity.groupKey(), identity.taskId(), identity.tag(), Duration.ofNanos(waitedNanos)));
        }
    }

    private synchronized void addRunning(String groupKey, KernelTask<?> task, long ranNanos) {
        runningCount++;
        if (running.size() < ShutdownReport.MAX_LISTED && task instanceof TaskIdentity identity) {
            running.add(new RunningTask(
                    identity.groupKey(), identity.taskId(), identity.tag(), Duration.ofNanos(ranNanos)));
        }
    }

    private synchronized void addPermits(String groupKey, int permits) {
        runningCount += permits;
        for (int i = 0; i < permits && running.size() < ShutdownReport.MAX_LISTED; i++) {
            running.add(new RunningTask(groupKey, PERMIT, "", Duration.ZERO));
        }
    }
}
