package io.github.kobe;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** Tasks that are handed in together, and all waited for. */
final class BatchSubmitter {

    private BatchSubmitter() {}

    static void requireTasks(List<? extends GroupTask<?>> tasks) {
        Objects.requireNonNull(tasks, "tasks");
        int index = 0;
        for (GroupTask<?> task : tasks) {
            int at = index++;
            Objects.requireNonNull(task, () -> "tasks[" + at + "]");
        }
    }

    /** The results, in the order of {@code tasks}. */
    static <T> List<GroupResult<T>> run(List<GroupTask<T>> tasks, Function<GroupTask<T>, TaskHandle<T>> submit) {
        List<TaskHandle<T>> handles = submitAll(tasks, submit);
        try {
            for (TaskHandle<T> handle : handles) {
                awaitEnd(handle);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cancelAll(handles);
        }
        return handles.stream().map(BatchSubmitter::resultOf).toList();
    }

    private static <T> List<TaskHandle<T>> submitAll(
            List<GroupTask<T>> tasks, Function<GroupTask<T>, TaskHandle<T>> submit) {
        List<TaskHandle<T>> handles = new ArrayList<>(tasks.size());
        try {
            for (GroupTask<T> task : tasks) {
                handles.add(submit.apply(task));
            }
        } catch (IllegalStateException shutDownMeanwhile) {
            cancelAll(handles); // the caller gets no handle to do it with
            throw shutDownMeanwhile;
        }
        return handles;
    }

    /** Last to first: the other way round, the place of one would go to the next. */
    static void cancelAll(List<? extends TaskHandle<?>> handles) {
        handles.reversed().forEach(handle -> handle.cancel(true));
    }

    private static void awaitEnd(TaskHandle<?> handle) throws InterruptedException {
        try {
            handle.await();
        } catch (RejectedTaskException e) {
            // listed as such
        }
    }

    /** Of a task that has ended, or whose end is being announced. */
    static <T> GroupResult<T> resultOf(TaskHandle<T> handle) {
        try {
            return handle.toCompletableFuture().join();
        } catch (CompletionException e) {
            Rejection rejection = e.getCause() instanceof RejectedTaskException rejected ? rejected.rejection() : null;
            return rejection == null
                    ? GroupResult.rejected(handle.groupKey(), handle.taskId())
                    : GroupResult.rejected(handle.groupKey(), handle.taskId(), rejection);
        }
    }
}
