package io.github.kobe.scope;

import io.github.kobe.internal.kernel.BlockedWait;
import io.github.kobe.internal.util.SpinWait;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Runs several callables as tasks of a scope until enough of them have succeeded. Used by the one thread that waits for the result. */
final class JoinOperation<T extends @Nullable Object, R extends @Nullable Object> implements ScopeTasks.TaskListener {

    private final ScopeState scope;
    private final ScopeTasks scopeTasks;
    private final JoinStrategy<T, R> strategy;
    private final List<ScopeTaskImpl<T>> tasks;
    private final Set<ScopeTaskImpl<?>> pending =
            Collections.newSetFromMap(new IdentityHashMap<>()); // only used by the waiter
    private final Set<ScopeTaskImpl<?>> members =
            Collections.newSetFromMap(new IdentityHashMap<>()); // not changed after construction
    private final Queue<ScopeTaskImpl<?>> completed = new ConcurrentLinkedQueue<>();
    private final Thread waiter = Thread.currentThread();
    private final List<T> values = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private int submitted;
    private @Nullable BlockedWait wait; // null if the waiter has no permit to lend

    private JoinOperation(
            ScopeState scope, ScopeTasks scopeTasks, JoinStrategy<T, R> strategy, List<ScopeTaskImpl<T>> tasks) {
        this.scope = scope;
        this.scopeTasks = scopeTasks;
        this.strategy = strategy;
        this.tasks = tasks;
        members.addAll(tasks);
        pending.addAll(tasks);
    }

    /** For the calling thread. */
    static <T extends @Nullable Object, R extends @Nullable Object> JoinOperation<T, R> of(
            ScopeState scope, JoinStrategy<T, R> strategy, List<? extends Callable<? extends T>> callables) {
        ScopeTasks scopeTasks = scope.tasks();
        List<ScopeTaskImpl<T>> tasks = new ArrayList<>();
        for (Callable<? extends T> callable : callables) {
            ScopeSettings.PerTask settings = scope.settings().forTask(null, null, null);
            tasks.add(ScopeTaskImpl.plain(scopeTasks, null, callable::call, settings));
        }
        return new JoinOperation<>(scope, scopeTasks, strategy, tasks);
    }

    @Override
    public void onChange(ScopeTaskImpl<?> task) {
        if (task.completionOrNull() != null && members.contains(task)) {
            completed.add(task);
            LockSupport.unpark(waiter);
        }
    }

    R run() throws InterruptedException {
        boolean inTime = true;
        scopeTasks.addListener(this);
        try {
            submitUpTo(strategy.first(tasks.size()));
            wait = scopeTasks.beginWait(tasks.subList(0, submitted));
            long hedgeAt = scopeTasks.now() + strategy.hedgeNanos();
            while (values.size() < strategy.needed() && canStillSucceed()) {
                boolean allSubmitted = submitted == tasks.size();
                if (!allSubmitted && hedgeAt - scopeTasks.now() <= 0) {
                    submitUpTo(tasks.size());
                } else if (!SpinWait.until(() -> !completed.isEmpty())) {
                    park(allSubmitted ? Long.MAX_VALUE : hedgeAt - scopeTasks.now());
                }
                collect();
            }
            return result();
        } catch (InterruptedException | ScopeTimeoutException e) {
            inTime = false;
            throw e;
        } finally {
            scopeTasks.removeListener(this);
            cancelRest();
            scopeTasks.endWait(wait, inTime);
        }
    }

    private void submitUpTo(int number) {
        while (submitted < number) {
            scope.submitOrThrow(tasks.get(submitted));
            scopeTasks.addTo(wait, tasks.get(submitted));
            submitted++; // after the submission: a rejected task is not to be cancelled
        }
    }

    private void park(long nanos) throws InterruptedException {
        LockSupport.parkNanos(this, nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private boolean canStillSucceed() {
        return values.size() + pending.size() >= strategy.needed();
    }

    /** A failure before the hedge delay has passed starts the backups. */
    private void collect() {
        for (ScopeTaskImpl<?> task = completed.poll(); task != null; task = completed.poll()) {
            if (pending.remove(task)) {
                collect(task);
            }
        }
    }

    private void collect(ScopeTaskImpl<?> task) {
        TaskCompletion completion = task.completionOrNull();
        if (completion != null && completion.state() == Task.State.SUCCESS) {
            if (values.size() < strategy.needed()) {
                values.add(valueOf(task));
            }
        } else {
            if (completion != null && completion.isFailure() && completion.error() != null) {
                failures.add(completion.error());
            }
            submitUpTo(tasks.size());
        }
    }

    @SuppressWarnings("unchecked") // only tasks of this operation are collected
    private T valueOf(ScopeTaskImpl<?> task) {
        return ((ScopeTaskImpl<T>) task).await();
    }

    private R result() {
        if (values.size() >= strategy.needed()) {
            return strategy.result(values);
        }
        scope.throwIfDeadlinePassed(tasks);
        if (failures.isEmpty()) {
            throw new CancelledException(strategy + " in " + scope.id() + ": the tasks were cancelled");
        }
        throw scope.aggregate(tasks, failures);
    }

    private void cancelRest() {
        for (ScopeTaskImpl<T> task : tasks.subList(0, submitted).reversed()) {
            task.cancelFor(strategy + " is decided");
        }
    }
}
