package io.github.kobe;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
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
 * Results in the order in which tasks end, of tasks that are handed in as results are asked for.
 *
 * <p>The consuming thread does everything: before it takes a result it hands in at least one task, so that no fewer are under
 * way than before, and more as long as it would have to wait, up to the window. All that other threads do is to put ended tasks
 * into {@code ended}, and maybe to {@link #close}: that cancels what is outstanding, which wakes a consumer that waits. A task
 * that is handed in meanwhile is noted as outstanding before its submitter looks at {@code closed}, so one of the two cancels it.
 */
final class CompletionStream<T> implements Spliterator<GroupResult<T>> {

    private final Spliterator<GroupTask<T>> source;
    private final int window;
    private final Function<GroupTask<T>, TaskHandle<T>> submit;
    private final Set<TaskHandle<T>> outstanding = new LinkedHashSet<>(); // guarded by itself
    private final BlockingQueue<TaskHandle<T>> ended = new LinkedBlockingQueue<>();
    private long taken;
    private boolean exhausted;
    private volatile boolean closed;

    private CompletionStream(
            Spliterator<GroupTask<T>> source, int window, Function<GroupTask<T>, TaskHandle<T>> submit) {
        this.source = source;
        this.window = window;
        this.submit = submit;
    }

    static <T> Stream<GroupResult<T>> stream(
            Stream<GroupTask<T>> tasks, int window, Function<GroupTask<T>, TaskHandle<T>> submit) {
        CompletionStream<T> results = new CompletionStream<>(tasks.sequential().spliterator(), window, submit);
        return StreamSupport.stream(results, false).onClose(results::close).onClose(tasks::close);
    }

    /** If it throws, whoever did, there is nobody left to take the other results. */
    @Override
    public boolean tryAdvance(Consumer<? super GroupResult<T>> action) {
        try {
            TaskHandle<T> next = next();
            if (next == null) {
                return false;
            }
            action.accept(BatchSubmitter.resultOf(next));
            return true;
        } catch (Throwable fault) {
            close();
            throw fault;
        }
    }

    /** The next one that has ended; {@code null} if there are no more. An interrupted thread gets what is there, then an exception. */
    private @Nullable TaskHandle<T> next() {
        if (!closed && !Thread.currentThread().isInterrupted()) {
            submitSome();
        }
        TaskHandle<T> next = ended.poll();
        if (next == null && !closed && (!exhausted || countOutstanding() > 0)) {
            next = await();
        }
        if (next == null || closed) {
            return null;
        }
        synchronized (outstanding) {
            outstanding.remove(next);
        }
        return next;
    }

    private void submitSome() {
        while (!exhausted && countOutstanding() < window) {
            exhausted = !source.tryAdvance(this::submit);
            if (!ended.isEmpty()) {
                return;
            }
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the stage has nothing to add
    private void submit(GroupTask<T> task) {
        long number = taken++;
        TaskHandle<T> handle = submit.apply(Objects.requireNonNull(task, () -> "tasks[" + number + "]"));
        synchronized (outstanding) {
            outstanding.add(handle);
        }
        handle.toCompletableFuture().whenComplete((result, fault) -> ended.add(handle));
        if (closed) {
            handle.cancel(true);
        }
    }

    private int countOutstanding() {
        synchronized (outstanding) {
            return outstanding.size();
        }
    }

    private TaskHandle<T> await() {
        try {
            return ended.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            CancellationException cancelled =
                    new CancellationException("interrupted while it waited for a result; the tasks are cancelled");
            cancelled.initCause(e);
            throw cancelled;
        }
    }

    /** Takes no more tasks, and cancels those whose results were not delivered. */
    private void close() {
        closed = true;
        List<TaskHandle<T>> undelivered;
        synchronized (outstanding) {
            undelivered = new ArrayList<>(outstanding);
            outstanding.clear();
        }
        BatchSubmitter.cancelAll(undelivered);
    }

    /** Never: results are waited for by one thread. */
    @Override
    public @Nullable Spliterator<GroupResult<T>> trySplit() {
        return null;
    }

    @Override
    public long estimateSize() {
        return Long.MAX_VALUE;
    }

    /** Not {@link #SIZED}, or {@link Stream#count} would count without running anything. */
    @Override
    public int characteristics() {
        return NONNULL;
    }
}
