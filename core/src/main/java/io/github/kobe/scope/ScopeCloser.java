package io.github.kobe.scope;

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

/** How a scope ends, and what is to be cleaned up then. */
final class ScopeCloser {

    private static final CancellationReason CLOSED =
            new CancellationReason(CancellationReason.Cause.CLOSE, "the scope is closed");

    private final ScopeState life;
    private final ReentrantLock lock = new ReentrantLock(); // held by the one that closes: others wait until it has
    private @Nullable Deque<Runnable> cleanups; // guarded by the monitor, as is the next
    private boolean cleaned;
    private volatile boolean closed;

    ScopeCloser(ScopeState life) {
        this.life = life;
    }

    boolean isClosed() {
        return closed;
    }

    synchronized void defer(Runnable cleanup) {
        if (cleaned) {
            throw new IllegalStateException(life.id() + " is closed");
        }
        if (cleanups == null) {
            cleanups = new ArrayDeque<>();
        }
        cleanups.push(cleanup);
    }

    void close() {
        if (CurrentScope.isInTaskOf(life)) {
            throw new IllegalStateException(
                    life.id() + " cannot be closed by a task of it, which would wait for itself");
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
        life.cancel(CLOSED);
        Throwable failure = awaitTasks();
        closed = true;
        failure = cleanUp(failure);
        life.look(() -> life.settings().scheduler).release();
        ScopeState around = life.around();
        if (around != null) {
            around.release(life);
        }
        CurrentScope.closed(life);
        throwUnchecked(failure);
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    /** Those of the scope and of scopes in it. */
    private @Nullable Throwable awaitTasks() {
        Duration grace = life.look(() -> life.settings().closeGrace);
        long until = System.nanoTime() + Math.min(Durations.saturatedNanos(grace), Long.MAX_VALUE / 4);
        Left left = new Left();
        boolean interrupted = awaitTasks(life, until, left);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return left.isNone() ? null : new ScopeCloseException(message(grace, left), left.running);
    }

    /** What has not ended when the grace is over. */
    private static final class Left {
        final List<Task<?>> running = new ArrayList<>();
        long others; // no thread has come for them yet, or a hook that is told of them has not returned

        void add(ScopeTasks crew) {
            List<ScopeTaskImpl<?>> present = crew.present();
            running.addAll(present);
            others += Math.max(0, crew.unfinished() - present.size());
        }

        boolean isNone() {
            return running.isEmpty() && others == 0;
        }
    }

    /** @return whether the thread was interrupted meanwhile */
    private static boolean awaitTasks(ScopeState scope, long until, Left left) {
        boolean interrupted = false;
        ScopeTasks crew = scope.crewOrNull();
        if (crew != null) {
            crew.shut();
            interrupted = awaitEnd(crew, until, left);
        }
        for (ScopeState inner : scope.inner()) {
            inner.cancel(CLOSED.inheritedFrom(scope)); // whoever cancelled this one may not have got there yet
            interrupted |= awaitTasks(inner, until, left);
        }
        return interrupted;
    }

    private static boolean awaitEnd(ScopeTasks crew, long until, Left left) {
        boolean interrupted = false;
        while (true) {
            try {
                if (!crew.awaitEnd(Math.max(0, until - System.nanoTime()))) {
                    left.add(crew);
                }
                return interrupted;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
    }

    private String message(Duration grace, Left left) {
        long number = left.running.size() + left.others;
        String others = left.others == 0
                ? ""
                : left.others + (left.running.isEmpty() ? "" : " more")
                        + " that no thread has come for yet, or whose hook has not returned";
        return life.id() + " is closed, but " + number + (number == 1 ? " task has" : " tasks have")
                + " not ended within " + Durations.text(grace) + " of being interrupted: "
                + Stream.concat(
                                left.running.stream()
                                        .map(task -> ScopeTreeFormatter.whereabouts((ScopeTaskImpl<?>) task)),
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
                failure = both(failure, fault);
            }
        }
        return failure;
    }

    private synchronized @Nullable Runnable nextCleanup() {
        Runnable next = cleanups == null ? null : cleanups.poll();
        cleaned = next == null;
        return next;
    }

    private static Throwable both(@Nullable Throwable first, Throwable next) {
        if (first == null) {
            return next;
        }
        Throwables.suppress(next, first);
        return first;
    }

    /** A cleanup cannot throw anything else. */
    private static void throwUnchecked(@Nullable Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
    }
}
