package io.github.kobe.scope;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Parks one thread until something happens to a scope's tasks. The thread sets what it waits for, checks its condition, then parks; another
 * thread changes the condition first, then unparks it. Only for the thread that created it. It is unparked for the task that it has named,
 * and for failures if it asked for them, not for each completion.
 */
final class CompletionWaiter implements ScopeTasks.TaskListener {

    private final ScopeTasks tasks;
    private final Thread waiter = Thread.currentThread();
    private final @Nullable Queue<ScopeTaskImpl<?>> failures;
    private volatile @Nullable ScopeTaskImpl<?> awaited;
    private volatile boolean awaitsAll;

    private CompletionWaiter(ScopeTasks tasks, boolean collectsFailures) {
        this.tasks = tasks;
        this.failures = collectsFailures ? new ConcurrentLinkedQueue<>() : null;
    }

    /** Unparked for the awaited task only. */
    static CompletionWaiter of(ScopeTasks tasks) {
        return new CompletionWaiter(tasks, false);
    }

    /** Unparked for failures too, and collects them. */
    static CompletionWaiter forFailures(ScopeTasks tasks) {
        return new CompletionWaiter(tasks, true);
    }

    @Override
    public void onChange(ScopeTaskImpl<?> task) {
        if (collectFailure(task) || awaitsAll || task == awaited) {
            LockSupport.unpark(waiter);
        }
    }

    private boolean collectFailure(ScopeTaskImpl<?> task) {
        return failures != null && task.hasFailed() && failures.add(task);
    }

    /** The next collected failure; {@code null} if there is none. */
    @Nullable
    ScopeTaskImpl<?> nextFailure() {
        return failures == null ? null : failures.poll();
    }

    /** Parks until something happens to {@code task}, or a failure is collected; may return spuriously. */
    void park(ScopeTaskImpl<?> task, BooleanSupplier mustWait) throws InterruptedException {
        awaited = task;
        if (mustWait.getAsBoolean()) { // checked after the write: a thread that changes it from now on reads awaited
            park(Long.MAX_VALUE);
        }
    }

    /** Waits until {@code done}, or until {@code deadline} by the scope's clock. Only a change of a task may make {@code done} true. */
    boolean await(BooleanSupplier done, long deadline) throws InterruptedException {
        awaitsAll = true;
        tasks.addListener(this);
        try {
            while (!done.getAsBoolean()) {
                long left = deadline - tasks.now();
                if (left <= 0) {
                    return false;
                }
                park(left);
            }
            return true;
        } finally {
            tasks.removeListener(this);
        }
    }

    private void park(long nanos) throws InterruptedException {
        LockSupport.parkNanos(this, nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
