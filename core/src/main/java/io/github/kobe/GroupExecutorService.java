package io.github.kobe;

import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.util.Faults;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A view of one group. It keeps no list of its tasks: those that it has to find, it finds in the group.
 *
 * <p>{@code invokeAny} of the superclass, and {@link java.util.concurrent.ExecutorCompletionService}, ask for a future by
 * {@link #newTaskFor} and at once, on the same thread, hand in something of their own that runs it. So that a cancel of the
 * future reaches the task in line all the same, and the task's end reaches the future, the thread keeps it in {@link #MADE}
 * in between. If something went wrong there, it is bound to what the thread hands in next, in vain: nobody has it to cancel it.
 */
final class GroupExecutorService extends ViewLife {

    private static final ThreadLocal<@Nullable WeakReference<ViewFuture<?>>> MADE = new ThreadLocal<>();

    private final String groupKey;
    private final Dispatcher dispatcher;
    private final AdmissionControl entrance;
    private final @Nullable ListenerNotifier announcer;
    private final Faults faults;

    GroupExecutorService(
            String groupKey,
            Dispatcher dispatcher,
            AdmissionControl entrance,
            @Nullable ListenerNotifier announcer,
            Faults faults) {
        this.groupKey = groupKey;
        this.dispatcher = dispatcher;
        this.entrance = entrance;
        this.announcer = announcer;
        this.faults = faults;
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        enter(command, command instanceof RunnableFuture<?> ? futureOf(command) : null);
    }

    private static @Nullable ViewFuture<?> futureOf(Runnable command) {
        WeakReference<ViewFuture<?>> made = MADE.get();
        if (made != null) {
            MADE.remove();
        }
        return command instanceof ViewFuture<?> own ? own : made == null ? null : made.get();
    }

    @Override
    public Future<?> submit(Runnable task) {
        Objects.requireNonNull(task, "task");
        return enter(ViewFuture.of(task));
    }

    @Override
    public <T> Future<T> submit(Runnable task, @Nullable T result) {
        Objects.requireNonNull(task, "task");
        return enter(ViewFuture.of(Executors.callable(task, result)));
    }

    @Override
    public <T> Future<T> submit(Callable<T> task) {
        Objects.requireNonNull(task, "task");
        return enter(ViewFuture.of(task));
    }

    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks) throws InterruptedException {
        return invokeAll(tasks, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    }

    /** Unlike the superclass cancels from last to first: the other way round, the place of one would go to the next. */
    @Override
    public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit)
            throws InterruptedException {
        long deadline = System.nanoTime() + unit.toNanos(timeout);
        List<ViewFuture<T>> futures = new ArrayList<>(tasks.size());
        for (Callable<T> task : tasks) {
            futures.add(ViewFuture.of(Objects.requireNonNull(task, "task")));
        }
        try {
            startAndAwait(futures, deadline);
        } finally {
            futures.reversed().forEach(future -> future.cancel(true)); // those that have ended take no notice
        }
        return new ArrayList<>(futures);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it is among the futures
    private <T> void startAndAwait(List<ViewFuture<T>> futures, long deadline) throws InterruptedException {
        for (ViewFuture<T> future : futures) {
            if (deadline - System.nanoTime() <= 0) {
                return;
            }
            enter(future);
        }
        for (ViewFuture<T> future : futures) {
            if (!future.awaitEnd(deadline - System.nanoTime())) {
                return;
            }
        }
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable task, @Nullable T result) {
        return made(ViewFuture.of(Executors.callable(task, result)));
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Callable<T> task) {
        return made(ViewFuture.of(task));
    }

    private static <T> ViewFuture<T> made(ViewFuture<T> future) {
        MADE.set(new WeakReference<>(future));
        return future;
    }

    private <T> ViewFuture<T> enter(ViewFuture<T> future) {
        enter(future, future);
        return future;
    }

    private void enter(Runnable command, @Nullable ViewFuture<?> future) {
        ViewTask ticket = new ViewTask(this, command, future, announcer);
        if (!enter()) {
            throw shutDown();
        }
        bind(future, ticket);
        GroupTaskImpl<Object> entered;
        try {
            entered = entrance.submit(ticket);
        } catch (Throwable fault) {
            ticket.refused();
            if (fault instanceof IllegalStateException && dispatcher.isClosed()) {
                throw shutDown();
            }
            throw fault;
        }
        if (entered != ticket) {
            bind(future, entered);
            notLetIn(ticket, entered);
        } else if (isStopped() && ticket.takeBack(ViewTask.STOPPED)) {
            throw shutDown(); // it came in line after a shutdownNow had looked there
        }
    }

    private static void bind(@Nullable ViewFuture<?> future, GroupTaskImpl<?> ticket) {
        if (future != null) {
            future.bind(ticket);
        }
    }

    /** What a policy gave it for an end is there already; what a handler does comes in its own time. */
    @SuppressWarnings("FutureReturnValueIgnored") // it has nothing to add
    private void notLetIn(ViewTask ticket, GroupTaskImpl<Object> rejected) {
        CompletableFuture<GroupResult<Object>> end = rejected.toCompletableFuture();
        if (!entrance.hasHandler()
                && end.isCompletedExceptionally()
                && end.exceptionNow() instanceof RejectedTaskException abort) {
            ticket.refused();
            throw abort;
        }
        end.whenComplete((result, thrown) -> ticket.turnedAway(result));
    }

    private RejectedTaskException shutDown() {
        return new RejectedTaskException(
                groupKey, ViewTask.NAME, RejectionFactory.of(RejectionReason.SHUT_DOWN, dispatcher.group(groupKey), 0));
    }

    // ---- for tickets ---------------------------------------------------------------------------------------------

    String groupKey() {
        return groupKey;
    }

    Faults faults() {
        return faults;
    }

    /** Does with what a command threw as a thread does that ends by it. */
    void uncaught(ViewTask ticket, Throwable thrown) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        } catch (Throwable its) {
            faults.report("uncaught exception handler", ticket, its);
        }
    }

    /** Its class may be anyone's, and have code run when it ends. */
    void cancelElsewhere(ViewTask ticket, Future<?> foreign) {
        dispatcher.spawn(() -> {
            try {
                foreign.cancel(false);
            } catch (Throwable its) {
                faults.report("cancel of a future", ticket, its);
            }
        });
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    @Override
    public void shutdown() {
        shut();
    }

    @Override
    public List<Runnable> shutdownNow() {
        stop();
        List<Runnable> neverBegun = new ArrayList<>();
        dispatcher.forEachTask(groupKey, ticket -> {
            if (ticket instanceof ViewTask task && task.isOf(this)) {
                task.stop(neverBegun);
            }
        });
        return neverBegun;
    }

    @Override
    public boolean isShutdown() {
        return isShut() || dispatcher.isClosed();
    }

    @Override
    public boolean isTerminated() {
        if (dispatcher.isClosed()) {
            shutdown();
        }
        return isOver();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        Objects.requireNonNull(unit, "unit");
        // A lambda need not be an object of its own, and each waiter is to take out no other than its own.
        Runnable wake = new Runnable() {
            @Override
            public void run() {
                shutdown();
            }
        };
        dispatcher.addOnClose(wake);
        try {
            return awaitOver(timeout, unit);
        } finally {
            dispatcher.removeOnClose(wake);
        }
    }

    @Override
    public String toString() {
        return "ExecutorService of group '" + groupKey + "'["
                + (isTerminated() ? "terminated" : isShutdown() ? "shut down" : "open") + ", " + tasks()
                + " tasks]";
    }
}
