package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.internal.kernel.BlockedWait;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Results in the order of completion, of tasks that are submitted as results are consumed.
 *
 * <p>The consuming thread submits the tasks. Before it takes a result it submits at least one task, so that the number of outstanding tasks
 * does not fall. While it would have to wait, it submits more, as the {@link WindowedSource} allows. Other threads only add completed tasks to
 * {@code completed}, and may call {@link #close}. A close cancels the outstanding tasks, which wakes a waiting consumer. The consumer adds a
 * task to {@code outstanding} before it reads {@code closed}, and close writes {@code closed} before it reads {@code outstanding}: so one of
 * the two cancels a task that is submitted during a close.
 */
final class CompletionStream<T extends @Nullable Object> implements Spliterator<GroupResult<T>> {

    private final WindowedSource<T> source; // used by the consuming thread only
    private final Function<GroupTask<T>, GroupTaskImpl<T>> submit;
    private final Set<GroupTaskImpl<T>> outstanding = new LinkedHashSet<>(); // guarded by itself
    private final BlockingQueue<GroupTaskImpl<T>> completed = new LinkedBlockingQueue<>();
    private volatile boolean closed;

    private CompletionStream(WindowedSource<T> source, Function<GroupTask<T>, GroupTaskImpl<T>> submit) {
        this.source = source;
        this.submit = submit;
    }

    /** @param windowPerGroup {@link WindowedSource#NO_LIMIT} if only {@code window} limits the tasks of a group */
    static <T extends @Nullable Object> Stream<GroupResult<T>> stream(
            Stream<GroupTask<T>> tasks,
            int window,
            int windowPerGroup,
            Function<GroupTask<T>, GroupTaskImpl<T>> submit) {
        CompletionStream<T> results =
                new CompletionStream<>(new WindowedSource<>(tasks, window, windowPerGroup), submit);
        return StreamSupport.stream(results, false).onClose(results::close).onClose(tasks::close);
    }

    /** If this throws, the consumer does not take the other results, so their tasks are cancelled. */
    @Override
    public boolean tryAdvance(Consumer<? super GroupResult<T>> action) {
        try {
            GroupTaskImpl<T> next = next();
            if (next == null) {
                return false;
            }
            action.accept(next.resultOrRejected());
            return true;
        } catch (Throwable fault) {
            close();
            throw fault;
        }
    }

    /** The next completed task; {@code null} if there are no more. An interrupted thread gets what has completed, then an exception. */
    private @Nullable GroupTaskImpl<T> next() {
        if (!closed && !Thread.currentThread().isInterrupted()) {
            submitSome();
        }
        GroupTaskImpl<T> next = completed.poll();
        if (next == null && !closed && (!source.isExhausted() || hasOutstanding())) {
            next = await();
        }
        if (next == null || closed) {
            return null;
        }
        synchronized (outstanding) {
            outstanding.remove(next);
        }
        source.release(next.groupKey());
        return next;
    }

    private void submitSome() {
        GroupTask<T> task = nextTask();
        while (task != null) {
            submit(task);
            task = completed.isEmpty() ? nextTask() : null;
        }
    }

    private @Nullable GroupTask<T> nextTask() {
        return source.next(() -> !completed.isEmpty());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nothing depends on the new stage
    private void submit(GroupTask<T> task) {
        GroupTaskImpl<T> submitted = submit.apply(task);
        synchronized (outstanding) {
            outstanding.add(submitted);
        }
        submitted.toCompletableFuture().whenComplete((result, fault) -> completed.add(submitted));
        if (closed) {
            submitted.cancel(true);
        }
    }

    private boolean hasOutstanding() {
        synchronized (outstanding) {
            return !outstanding.isEmpty();
        }
    }

    private GroupTaskImpl<T> await() {
        try {
            return BlockedWait.take(completed, this::addOutstandingTo);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            CancellationException cancelled =
                    new CancellationException("interrupted while waiting for a result; the tasks are cancelled");
            cancelled.initCause(e);
            throw cancelled;
        }
    }

    private void addOutstandingTo(BlockedWait wait) {
        List<GroupTaskImpl<T>> awaited;
        synchronized (outstanding) {
            awaited = new ArrayList<>(outstanding);
        }
        awaited.forEach(wait::add);
    }

    /** Submits no more tasks, and cancels those whose results were not delivered. */
    private void close() {
        closed = true;
        List<GroupTaskImpl<T>> undelivered;
        synchronized (outstanding) {
            undelivered = new ArrayList<>(outstanding);
            outstanding.clear();
        }
        BatchSubmitter.cancelAll(undelivered);
    }

    /** Never splits: one thread waits for the results. */
    @Override
    public @Nullable Spliterator<GroupResult<T>> trySplit() {
        return null;
    }

    @Override
    public long estimateSize() {
        return Long.MAX_VALUE;
    }

    /** Not {@link #SIZED}: {@link Stream#count} would return the size without running any task. */
    @Override
    public int characteristics() {
        return NONNULL;
    }
}
