package io.github.kobe.internal.group;

import io.github.kobe.ExecutorShutdownException;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.internal.kernel.Dispatcher;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A view of one group as an executor service. It keeps no list of its tasks; it finds them in the group.
 *
 * <p>{@code invokeAny} of the superclass and {@link java.util.concurrent.ExecutorCompletionService} call {@link #newTaskFor} and then, on
 * the same thread, {@link #execute} with a command that runs the future. {@link #NEW_FUTURE} keeps the future in between. So a cancel of the
 * future reaches the task, and the outcome of the task reaches the future.
 */
final class GroupExecutorService extends AbstractExecutorService {

    /** The task id in exceptions and for listeners. */
    static final String TASK_ID = "execute";

    static final String STOPPED = "view shut down";

    /** Weak, because the command may never follow. */
    private static final ThreadLocal<@Nullable WeakReference<ViewFuture<?>>> NEW_FUTURE = new ThreadLocal<>();

    private static final long SHUTDOWN = 1;
    private static final long ONE_TASK = 2;

    final String groupKey;
    final GroupEngine engine;
    private final Dispatcher dispatcher;

    /** The SHUTDOWN flag and the number of tasks, in one word: a task that is counted before the flag is set is waited for. */
    private final AtomicLong state = new AtomicLong();

    private final CountDownLatch terminated = new CountDownLatch(1);

    /** Set by {@link #shutdownNow}. */
    volatile boolean stopped;

    GroupExecutorService(String groupKey, GroupEngine engine) {
        this.groupKey = groupKey;
        this.engine = engine;
        this.dispatcher = engine.dispatcher();
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    @Override
    public void execute(Runnable command) {
        Objects.requireNonNull(command, "command");
        ViewFuture<?> made = command instanceof Future<?> ? takeNewFuture() : null;
        ViewFuture<?> future = made == null ? new ViewFuture<>(this, Executors.callable(command)) : made;
        future.command = command;
        submitFuture(future);
    }

    @Override
    public Future<?> submit(Runnable task) {
        return submit(Executors.callable(task));
    }

    @Override
    public <T extends @Nullable Object> Future<T> submit(Callable<T> task) {
        ViewFuture<T> future = new ViewFuture<>(this, Objects.requireNonNull(task, "task"));
        submitFuture(future);
        return future;
    }

    private void submitFuture(ViewFuture<?> future) {
        if ((state.addAndGet(ONE_TASK) & SHUTDOWN) != 0) {
            taskDone();
            throw shutDown();
        }
        try {
            engine.admission().submit(future.task);
        } catch (Throwable fault) {
            future.takeBack(null);
            if (fault instanceof ExecutorShutdownException) {
                throw shutDown();
            }
            throw fault;
        }
        RejectedTaskException rejection = future.task.rejectionException();
        if (rejection != null && engine.rejectionHandler() == null) {
            throw rejection;
        }
        Rejection discarded = future.task.rejection();
        if (discarded != null && engine.interceptor() != null) {
            throw new RejectedTaskException(groupKey, TASK_ID, discarded);
        }
        if (stopped && future.task.rejection() == null && future.takeBack(STOPPED)) {
            throw shutDown(); // it was queued after a shutdownNow had scanned the queue
        }
    }

    private RejectedTaskException shutDown() {
        return new RejectedTaskException(
                groupKey, TASK_ID, engine.admission().rejections().shutDown(0));
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Runnable task, T result) {
        return newTaskFor(Executors.callable(task, result));
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Callable<T> task) {
        ViewFuture<T> future = new ViewFuture<>(this, task);
        NEW_FUTURE.set(new WeakReference<>(future));
        return future;
    }

    private @Nullable ViewFuture<?> takeNewFuture() {
        WeakReference<ViewFuture<?>> reference = NEW_FUTURE.get();
        NEW_FUTURE.remove();
        ViewFuture<?> future = reference == null ? null : reference.get();
        return future != null && future.view == this ? future : null;
    }

    @Override
    public <T extends @Nullable Object> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks)
            throws InterruptedException {
        return invokeAll(tasks, Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    }

    /** Cancels in reverse order. In submission order, as in the superclass, the permit of a cancelled task would start the next one. */
    @Override
    public <T extends @Nullable Object> List<Future<T>> invokeAll(
            Collection<? extends Callable<T>> tasks, long timeout, TimeUnit unit) throws InterruptedException {
        long deadline = engine.timer().nanoTime() + unit.toNanos(timeout);
        List<ViewFuture<T>> futures = new ArrayList<>(tasks.size());
        for (Callable<T> task : tasks) {
            futures.add(new ViewFuture<>(this, Objects.requireNonNull(task, "task")));
        }
        try {
            for (ViewFuture<T> future : futures) {
                if (deadline - engine.timer().nanoTime() > 0) {
                    submitFuture(future);
                }
            }
            for (ViewFuture<T> future : futures) {
                try {
                    future.get(deadline - engine.timer().nanoTime(), TimeUnit.NANOSECONDS);
                } catch (ExecutionException | CancellationException e) {
                    // the caller finds it in the future
                }
            }
        } catch (TimeoutException e) {
            // the others are cancelled
        } finally {
            futures.reversed().forEach(future -> future.cancel(true)); // does nothing to a completed future
        }
        return new ArrayList<>(futures);
    }

    /** A task neither runs nor will run, and its permit is released. */
    void taskDone() {
        if (state.addAndGet(-ONE_TASK) == SHUTDOWN) {
            terminated.countDown();
        }
    }

    // ---- shutdown ------------------------------------------------------------------------------------------------

    @Override
    public void shutdown() {
        if (state.updateAndGet(s -> s | SHUTDOWN) == SHUTDOWN) {
            terminated.countDown();
        }
    }

    @Override
    public List<Runnable> shutdownNow() {
        stopped = true;
        shutdown();
        List<Runnable> neverStarted = new ArrayList<>();
        dispatcher.forEachTask(groupKey, task -> {
            ViewFuture<?> future = task instanceof GroupTaskImpl<?> ours ? ours.viewFuture() : null;
            if (future != null && future.view == this) {
                future.stop(neverStarted);
            }
        });
        return neverStarted;
    }

    @Override
    public boolean isShutdown() {
        return (state.get() & SHUTDOWN) != 0 || dispatcher.isClosed();
    }

    @Override
    public boolean isTerminated() {
        if (dispatcher.isClosed()) {
            shutdown();
        }
        return terminated.getCount() == 0;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        Objects.requireNonNull(unit, "unit");
        Runnable onClose = new FutureTask<>(this::shutdown, null); // unlike a lambda, never shared with another waiter
        dispatcher.addOnClose(onClose);
        try {
            return terminated.await(timeout, unit);
        } finally {
            dispatcher.removeOnClose(onClose);
        }
    }

    @Override
    public String toString() {
        return "ExecutorService of group '" + groupKey + "'["
                + (isTerminated() ? "terminated" : isShutdown() ? "shut down" : "open") + ", "
                + state.get() / ONE_TASK + " tasks]";
    }
}
