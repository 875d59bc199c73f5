package io.github.kobe.internal.group;

import io.github.kobe.GroupTask;
import io.github.kobe.TaskHandle;
import io.github.kobe.internal.kernel.BlockedWait;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Submits the tasks of a source on the calling thread, which waits while no task may be submitted.
 *
 * <p>The thread waits only while a task is outstanding. Every task completes, also at a shutdown, and is then added to {@code completed}. So
 * the wait ends. If the thread holds a permit, it lends it to an outstanding task while it waits.
 */
final class TaskFeeder<T extends @Nullable Object> {

    private final WindowedSource<T> source;
    private final Function<GroupTask<T>, GroupTaskImpl<T>> submit;
    private final Consumer<? super TaskHandle<T>> onSubmitted;
    private final Set<GroupTaskImpl<T>> outstanding = new LinkedHashSet<>(); // used by the calling thread only
    private final BlockingQueue<GroupTaskImpl<T>> completed = new LinkedBlockingQueue<>();
    private long submitted;

    private TaskFeeder(
            WindowedSource<T> source,
            Function<GroupTask<T>, GroupTaskImpl<T>> submit,
            Consumer<? super TaskHandle<T>> onSubmitted) {
        this.source = source;
        this.submit = submit;
        this.onSubmitted = onSubmitted;
    }

    /** Submits all tasks, and closes {@code tasks}. Returns how many there were. */
    static <T extends @Nullable Object> long feed(
            Stream<GroupTask<T>> tasks,
            int window,
            int windowPerGroup,
            Function<GroupTask<T>, GroupTaskImpl<T>> submit,
            Consumer<? super TaskHandle<T>> onSubmitted)
            throws InterruptedException {
        try (tasks) {
            return new TaskFeeder<>(new WindowedSource<>(tasks, window, windowPerGroup), submit, onSubmitted).run();
        }
    }

    private long run() throws InterruptedException {
        for (; ; ) {
            releaseCompleted();
            if (Thread.interrupted()) {
                throw interrupted(null);
            }
            GroupTask<T> task = source.next(() -> !completed.isEmpty());
            if (task != null) {
                submit(task);
            } else if (source.isExhausted()) {
                return submitted;
            } else {
                release(awaitCompleted());
            }
        }
    }

    private void releaseCompleted() {
        for (GroupTaskImpl<T> task = completed.poll(); task != null; task = completed.poll()) {
            release(task);
        }
    }

    private void release(GroupTaskImpl<T> task) {
        outstanding.remove(task);
        source.release(task.groupKey());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nothing depends on the new stage
    private void submit(GroupTask<T> task) {
        GroupTaskImpl<T> handle = submit.apply(task);
        submitted++;
        outstanding.add(handle);
        handle.toCompletableFuture().whenComplete((result, fault) -> completed.add(handle));
        onSubmitted.accept(handle);
    }

    private GroupTaskImpl<T> awaitCompleted() throws InterruptedException {
        try {
            return BlockedWait.take(completed, wait -> outstanding.forEach(wait::add));
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private InterruptedException interrupted(@Nullable InterruptedException cause) {
        InterruptedException thrown = new InterruptedException("interrupted after " + submitted
                + " tasks were submitted; they continue. " + source.heldBack() + " tasks were read and not submitted");
        if (cause != null) {
            thrown.initCause(cause);
        }
        return thrown;
    }
}
