package io.github.kobe.scope;

import io.github.kobe.internal.Soon;
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
final class Race<T, R> implements Crew.Watcher {

    private final ScopeLife scope;
    private final Crew crew;
    private final JoinStrategy<T, R> strategy;
    private final List<ScopeTask<T>> tasks;
    private final Set<ScopeTask<?>> unheard = Collections.newSetFromMap(new IdentityHashMap<>()); // the runner's
    private final Set<ScopeTask<?>> members =
            Collections.newSetFromMap(new IdentityHashMap<>()); // not changed once it runs
    private final Queue<ScopeTask<?>> heard = new ConcurrentLinkedQueue<>();
    private final Thread runner = Thread.currentThread();
    private final List<T> values = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private int submitted;

    private Race(ScopeLife scope, Crew crew, JoinStrategy<T, R> strategy, List<ScopeTask<T>> tasks) {
        this.scope = scope;
        this.crew = crew;
        this.strategy = strategy;
        this.tasks = tasks;
        members.addAll(tasks);
        unheard.addAll(tasks);
    }

    /** One that the calling thread runs. */
    static <T, R> Race<T, R> of(
            ScopeLife scope, JoinStrategy<T, R> strategy, List<? extends Callable<? extends T>> callables) {
        Crew crew = scope.crew();
        List<ScopeTask<T>> tasks = new ArrayList<>();
        for (Callable<? extends T> callable : callables) {
            Wishes wishes = scope.settings().wishes(null, null, null);
            tasks.add(new ScopeTask<>(crew, null, callable::call, wishes, crew.capture()));
        }
        return new Race<>(scope, crew, strategy, tasks);
    }

    @Override
    public void notice(ScopeTask<?> task) {
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
                } else if (!Soon.is(() -> !heard.isEmpty())) {
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
        for (ScopeTask<?> task = heard.poll(); task != null; task = heard.poll()) {
            if (unheard.remove(task)) {
                takeIn(task);
            }
        }
    }

    private void takeIn(ScopeTask<?> task) {
        End end = task.end();
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
    private T valueOf(ScopeTask<?> task) {
        return ((ScopeTask<T>) task).await();
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
        for (ScopeTask<T> task : tasks.subList(0, submitted).reversed()) {
            task.cancelFor(strategy + " is decided");
        }
    }
}
