package io.github.kobe;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What a view gives out for a task. As a {@link java.util.concurrent.FutureTask}, but a cancel also takes the task out of its
 * group; and the ticket that runs it can hold its outcome back until the place is free again, so that submit, get, submit again
 * never finds its own last task in the way. It is lighter, too: a swap to begin and another to end.
 *
 * <p>{@code end} goes from {@code null}, by way of a {@link Waiters} if anyone waits, to an outcome: a {@link Fault}, a
 * {@link Mark}, or the value itself.
 */
final class ViewFuture<T> implements RunnableFuture<T> {

    private enum Mark {
        CANCELLED,
        /** The value is {@code null}. */
        NULL
    }

    private record Fault(Throwable thrown) {}

    private static final class Waiters extends CountDownLatch {
        Waiters() {
            super(1);
        }
    }

    private static final VarHandle TASK;
    private static final VarHandle END;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TASK = lookup.findVarHandle(ViewFuture.class, "task", Object.class);
            END = lookup.findVarHandle(ViewFuture.class, "end", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private @Nullable Object task; // a callable or a runnable, until somebody runs it
    private volatile @Nullable Object end;

    /** The outcome that is held back. For the ticket's thread, and one that goes on in its stead, alone. */
    private @Nullable Object held;

    /** The task in its group. Written before anyone else has the future; after that, whoever sees an old one misses a shortcut. */
    private @Nullable GroupTaskImpl<?> ticket;

    private ViewFuture(Object task) {
        this.task = task;
    }

    static <T> ViewFuture<T> of(Callable<T> task) {
        return new ViewFuture<>(task);
    }

    /** Its value is {@code null}. */
    static <T> ViewFuture<T> of(Runnable task) {
        return new ViewFuture<>(task);
    }

    void bind(@Nullable GroupTaskImpl<?> to) {
        ticket = to;
    }

    // ---- running it ----------------------------------------------------------------------------------------------

    /** For anyone; the outcome is known at once. */
    @Override
    public void run() {
        Object work = claim();
        if (work != null) {
            end(outcomeOf(work));
        }
    }

    /**
     * For its ticket: runs it, and holds the outcome back until {@link #publish}.
     *
     * @return what it threw
     */
    @Nullable
    Throwable runHeld() {
        Object work = claim();
        if (work == null) {
            return null;
        }
        Object outcome = outcomeOf(work);
        held = outcome;
        return outcome instanceof Fault fault ? fault.thrown : null;
    }

    /** The task, for the one who is first to ask, if it is still wanted. */
    private @Nullable Object claim() {
        Object work = task;
        return work != null && TASK.compareAndSet(this, work, null) && !isDone() ? work : null;
    }

    private static Object outcomeOf(Object work) {
        try {
            if (work instanceof Callable<?> callable) {
                return outcomeOfValue(callable.call());
            }
            ((Runnable) work).run();
            return Mark.NULL;
        } catch (Throwable thrown) {
            return new Fault(thrown);
        }
    }

    private static Object outcomeOfValue(@Nullable Object value) {
        return value == null ? Mark.NULL : value;
    }

    /** Tells those who wait what was held back. */
    void publish() {
        Object outcome = held;
        if (outcome != null) {
            end(outcome);
        }
        held = null;
        ticket = null;
    }

    /** What it threw, if it has ended so. */
    @Nullable
    Throwable fault() {
        return end instanceof Fault fault ? fault.thrown : null;
    }

    // ---- ending it -----------------------------------------------------------------------------------------------

    private boolean end(Object outcome) {
        for (; ; ) {
            Object now = end;
            if (isOutcome(now)) {
                return false;
            }
            if (END.compareAndSet(this, now, outcome)) {
                if (now != null) {
                    ((Waiters) now).countDown();
                }
                return true;
            }
        }
    }

    private static boolean isOutcome(@Nullable Object end) {
        return end != null && !(end instanceof Waiters);
    }

    /** Ends it, unless it has ended, as someone decided who did not run it. */
    void endAs(GroupResult<?> decided) {
        Throwable error = decided.error();
        if (decided.status() == TaskStatus.SUCCESS) {
            end(outcomeOfValue(decided.value()));
        } else if (decided.status() == TaskStatus.FAILED && error != null) {
            end(new Fault(error));
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (!end(Mark.CANCELLED)) {
            return false;
        }
        task = null;
        GroupTaskImpl<?> its = ticket;
        if (its != null) {
            its.withdraw(mayInterruptIfRunning, "cancelled");
        }
        return true;
    }

    // ---- looking at it -------------------------------------------------------------------------------------------

    @Override
    public boolean isDone() {
        return isOutcome(end);
    }

    @Override
    public boolean isCancelled() {
        return end == Mark.CANCELLED;
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        Waiters waiters = waiters();
        if (waiters != null) {
            waiters.await();
        }
        return value();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        if (!awaitEnd(unit.toNanos(timeout))) {
            throw new TimeoutException("no outcome within " + timeout + " " + unit);
        }
        return value();
    }

    /** Whether it has ended when {@code nanos} are over. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        Waiters waiters = waiters();
        return waiters == null || waiters.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Null if it has ended. */
    private @Nullable Waiters waiters() {
        Object now = end;
        if (now == null) {
            Waiters fresh = new Waiters();
            now = END.compareAndExchange(this, null, fresh);
            if (now == null) {
                return fresh;
            }
        }
        return now instanceof Waiters waiters ? waiters : null;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // a value is what the task returned
    private T value() throws ExecutionException {
        Object outcome = end;
        if (outcome instanceof Fault fault) {
            throw new ExecutionException(fault.thrown);
        }
        if (outcome == Mark.CANCELLED) {
            throw new CancellationException();
        }
        return outcome == Mark.NULL ? null : (T) outcome;
    }

    @Override
    public String toString() {
        return "future of a task in a group[" + state() + "]";
    }
}
