package io.github.kobe.scope;

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

/** Several tasks of a scope, of which some results are needed; run by the thread that needs them. */
final class JoinOperation<T, R> implements ScopeTasks.Watcher {

    private final ScopeState scope;
    private final ScopeTasks crew;
    private final JoinStrategy<T, R> strategy;
    private final List<ScopeTaskImpl<T>> tasks;
    private final Set<ScopeTaskImpl<?>> unheard = Collections.newSetFromMap(new IdentityHashMap<>()); // the runner's
    private final Set<ScopeTaskImpl<?>> members =
            Collections.newSetFromMap(new IdentityHashMap<>()); // not changed once it runs
    private final Queue<ScopeTaskImpl<?>> heard = new ConcurrentLinkedQueue<>();
    private final Thread runner = Thread.currentThread();
    private final List<T> values = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private int submitted;

    private JoinOperation(
            ScopeState scope, ScopeTasks crew, JoinStrategy<T, R> strategy, List<ScopeTaskImpl<T>> tasks) {
        this.scope = scope;
        this.crew = crew;
        this.strategy = strategy;
        this.tasks = tasks;
        members.addAll(tasks);
        unheard.addAll(tasks);
    }

    /** One that the calling thread runs. */
    static <T, R> JoinOperation<T, R> of(
            ScopeState scope, JoinStrategy<T, R> strategy, List<? extends Callable<? extends T>> callables) {
        ScopeTasks crew = scope.crew();
        List<ScopeTaskImpl<T>> tasks = new ArrayList<>();
        for (Callable<? extends T> callable : callables) {
            TaskSettings wishes = scope.settings().wishes(null, null, null);
            tasks.add(new ScopeTaskImpl<>(crew, null, callable::call, wishes, crew.capture()));
        }
        return new JoinOperation<>(scope, crew, strategy, tasks);
    }

    @Override
    public void notice(ScopeTaskImpl<?> task) {
        if (task.end() != null && members.contains(task)) {
            heard.add(task);
            LockSupport.unpark(runner);
        }
    }

    R run() throws InterruptedException {
        crew.watch(this);
        try {
            submitUpTo(strategy.first(tasks.size()));
            long hedgeAt = System.nanoTime() + strategy.hedgeNanos();
            while (values.size() < strategy.needed() && canStillBeWon()) {
                boolean allAreOff = submitted == tasks.size();
                if (!allAreOff && hedgeAt - System.nanoTime() <= 0) {
                    submitUpTo(tasks.size());
                } else if (!SpinWait.until(() -> !heard.isEmpty())) {
                    sleep(allAreOff ? Long.MAX_VALUE : hedgeAt - System.nanoTime());
                }
                takeIn();
            }
            return result();
        } finally {
            crew.unwatch(this);
            cancelRest();
        }
    }

    private void submitUpTo(int number) {
        while (submitted < number) {
            scope.submitOrThrow(tasks.get(submitted));
            submitted++; // one that was refused is nobody's, and is not to be cancelled
        }
    }

    private void sleep(long nanos) throws InterruptedException {
        LockSupport.parkNanos(this, nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private boolean canStillBeWon() {
        return values.size() + unheard.size() >= strategy.needed();
    }

    /** A failure before the hedge lets the others start. */
    private void takeIn() {
        for (ScopeTaskImpl<?> task = heard.poll(); task != null; task = heard.poll()) {
            if (unheard.remove(task)) {
                takeIn(task);
            }
        }
    }

    private void takeIn(ScopeTaskImpl<?> task) {
        TaskCompletion end = task.end();
        if (end != null && end.state() == Task.State.SUCCESS) {
            if (values.size() < strategy.needed()) {
                values.add(valueOf(task));
            }
        } else {
            if (end != null && end.isFailure() && end.error() != null) {
                failures.add(end.error());
            }
            submitUpTo(tasks.size());
        }
    }

    @SuppressWarnings("unchecked") // it is one of ours
    private T valueOf(ScopeTaskImpl<?> task) {
        return ((ScopeTaskImpl<T>) task).await();
    }

    private R result() {
        if (values.size() >= strategy.needed()) {
            return strategy.result(values);
        }
        scope.throwIfLate(tasks);
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
