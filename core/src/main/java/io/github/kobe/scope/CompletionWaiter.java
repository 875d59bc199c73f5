package io.github.kobe.scope;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a thread that waits for something about a scope's tasks is woken by. It looks, then sleeps; whoever changes what it looks at
 * does so first, and rings then. Only for the thread that made it, which is woken for the task that it has named, or for failures if it
 * wants to hear of them, rather than each time that anything ends.
 */
final class CompletionWaiter implements ScopeTasks.Watcher {

    private final ScopeTasks crew;
    private final Thread sleeper = Thread.currentThread();
    private final @Nullable Queue<ScopeTaskImpl<?>> failures;
    private volatile @Nullable ScopeTaskImpl<?> awaited;
    private volatile boolean forAll;

    private CompletionWaiter(ScopeTasks crew, boolean hearsFailures) {
        this.crew = crew;
        this.failures = hearsFailures ? new ConcurrentLinkedQueue<>() : null;
    }

    /** One that rings for what is waited for. */
    static CompletionWaiter of(ScopeTasks crew) {
        return new CompletionWaiter(crew, false);
    }

    /** One that rings for failures too, and keeps them. */
    static CompletionWaiter forFailures(ScopeTasks crew) {
        return new CompletionWaiter(crew, true);
    }

    @Override
    public void notice(ScopeTaskImpl<?> task) {
        if (keepsFailure(task) || forAll || task == awaited) {
            LockSupport.unpark(sleeper);
        }
    }

    private boolean keepsFailure(ScopeTaskImpl<?> task) {
        return failures != null && task.hasFailed() && failures.add(task);
    }

    /** A failure that it has heard of, once each; {@code null} if there is none. */
    @Nullable
    ScopeTaskImpl<?> nextFailure() {
        return failures == null ? null : failures.poll();
    }

    /** Sleeps until something happens to {@code task}, something that it wants to hear of, or nothing at all. */
    void sleepFor(ScopeTaskImpl<?> task, BooleanSupplier still) throws InterruptedException {
        awaited = task;
        if (still.getAsBoolean()) { // looked at after it was named: whoever changes it from now on sees the name
            sleep(Long.MAX_VALUE);
        }
    }

    /** Waits until {@code done}, which only something that happens to a task makes true, or until {@code until}. */
    boolean await(BooleanSupplier done, long until) throws InterruptedException {
        forAll = true;
        crew.watch(this);
        try {
            while (!done.getAsBoolean()) {
                long left = until - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                sleep(left);
            }
            return true;
        } finally {
            crew.unwatch(this);
        }
    }

    private void sleep(long nanos) throws InterruptedException {
        LockSupport.parkNanos(this, nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
