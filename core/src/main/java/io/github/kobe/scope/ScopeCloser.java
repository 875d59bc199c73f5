package io.github.kobe.scope;

import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Durations;
import io.github.kobe.internal.util.Throwables;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Closes a scope: cancels its tasks, waits for them, and runs its cleanups. */
final class ScopeCloser {

    private static final ScopeState.Cancellation CLOSED =
            new ScopeState.Cancellation(ScopeState.Cause.CLOSE, "the scope is closed");

    private final ScopeState scope;
    private final ReentrantLock lock = new ReentrantLock(); // held by the closing thread: others wait until it is done
    private @Nullable Deque<Runnable> cleanups; // guarded by the monitor
    private boolean cleaned; // guarded by the monitor
    private volatile boolean closed;

    ScopeCloser(ScopeState scope) {
        this.scope = scope;
    }

    boolean isClosed() {
        return closed;
    }

    synchronized void defer(Runnable cleanup) {
        if (cleaned) {
            throw new IllegalStateException(scope.id() + " is closed");
        }
        if (cleanups == null) {
            cleanups = new ArrayDeque<>();
        }
        cleanups.push(cleanup);
    }

    void close() {
        if (CurrentScope.isInTaskOf(scope)) {
            throw new IllegalStateException(
                    scope.id() + " cannot be closed by a task of it, which would wait for itself");
        }
        lock.lock();
        try {
            if (!closed) {
                closeNow();
            }
        } finally {
            lock.unlock();
        }
    }

    private void closeNow() {
        scope.cancel(CLOSED);
        Throwable failure = awaitTasks();
        closed = true;
        failure = cleanUp(failure);
        scope.read(() -> scope.settings().scheduler).release();
        ScopeState parent = scope.parent();
        if (parent != null) {
            parent.removeChild(scope);
        }
        CurrentScope.closed(scope);
        throwUnchecked(failure);
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    /** Waits for the tasks of the scope and of its children, until the grace has passed. */
    private @Nullable Throwable awaitTasks() {
        Duration grace = scope.read(() -> scope.settings().closeGrace);
        Timer timer = scope.read(() -> scope.settings().scheduler).timer();
        long nanos = Math.min(Durations.saturatedNanos(grace), Long.MAX_VALUE / 4);
        Termination termination = new Termination(timer, timer.nanoTime() + nanos);
        termination.await(scope);
        if (termination.interrupted) {
            Thread.currentThread().interrupt();
        }
        return termination.isComplete()
                ? null
                : new ScopeCloseException(message(grace, termination), termination.unfinished);
    }

    /** One wait for the tasks of a scope and its children, and what is left when the grace has passed. */
    private static final class Termination {
        private final Timer timer;
        private final long deadline; // by the timer
        final List<Task<?>> unfinished = new ArrayList<>();
        long others; // no thread has taken them yet, or a hook that was called for them has not returned
        boolean interrupted;

        Termination(Timer timer, long deadline) {
            this.timer = timer;
            this.deadline = deadline;
        }

        void await(ScopeState scope) {
            ScopeTasks tasks = scope.tasksOrNull();
            if (tasks != null) {
                tasks.shutdown();
                await(tasks);
            }
            for (ScopeState child : scope.children()) {
                child.cancel(CLOSED.inheritedFrom(scope)); // another canceller of this scope may not have got there yet
                await(child);
            }
        }

        private void await(ScopeTasks tasks) {
            while (true) {
                try {
                    if (!tasks.awaitTermination(Math.max(0, deadline - timer.nanoTime()))) {
                        List<ScopeTaskImpl<?>> known = tasks.unfinishedTasks();
                        unfinished.addAll(known);
                        others += Math.max(0, tasks.unfinishedCount() - known.size());
                    }
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }

        boolean isComplete() {
            return unfinished.isEmpty() && others == 0;
        }
    }

    private String message(Duration grace, Termination left) {
        long number = left.unfinished.size() + left.others;
        String others = left.others == 0
                ? ""
                : left.others + (left.unfinished.isEmpty() ? "" : " more")
                        + " that no thread has taken yet, or whose hook has not returned";
        return scope.id() + " is closed, but " + number + (number == 1 ? " task has" : " tasks have")
                + " not completed within " + Durations.text(grace) + " of being interrupted: "
                + Stream.concat(
                                left.unfinished.stream()
                                        .map(task -> ScopeTreeFormatter.describeWithStack((ScopeTaskImpl<?>) task)),
                                Stream.of(others).filter(text -> !text.isEmpty()))
                        .collect(Collectors.joining("; "));
    }

    // ---- cleanups ------------------------------------------------------------------------------------------------

    private @Nullable Throwable cleanUp(@Nullable Throwable before) {
        Throwable failure = before;
        for (Runnable cleanup = nextCleanup(); cleanup != null; cleanup = nextCleanup()) {
            try {
                cleanup.run();
            } catch (Throwable fault) {
                failure = combine(failure, fault);
            }
        }
        return failure;
    }

    private synchronized @Nullable Runnable nextCleanup() {
        Runnable next = cleanups == null ? null : cleanups.poll();
        cleaned = next == null;
        return next;
    }

    private static Throwable combine(@Nullable Throwable first, Throwable next) {
        if (first == null) {
            return next;
        }
        Throwables.suppress(next, first);
        return first;
    }

    /** A cleanup cannot throw a checked exception. */
    private static void throwUnchecked(@Nullable Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
    }
}
