package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import io.github.kobe.GroupTask;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Submits a list of tasks and waits for all of them. */
final class BatchSubmitter {

    private BatchSubmitter() {}

    static void requireTasks(List<? extends GroupTask<?>> tasks) {
        Objects.requireNonNull(tasks, "tasks");
        int next = 0;
        for (GroupTask<?> task : tasks) {
            int index = next++;
            Objects.requireNonNull(task, () -> "tasks[" + index + "]");
        }
    }

    /** Returns the results in the order of {@code tasks}. */
    static <T extends @Nullable Object> List<GroupResult<T>> run(
            List<GroupTask<T>> tasks, Function<GroupTask<T>, GroupTaskImpl<T>> submit) {
        List<GroupTaskImpl<T>> submitted = submitAll(tasks, submit);
        try {
            for (GroupTaskImpl<T> task : submitted) {
                if (!task.isDone()) {
                    awaitOutcome(task);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cancelAll(submitted);
        }
        return submitted.stream().map(GroupTaskImpl::resultOrRejected).toList();
    }

    private static <T extends @Nullable Object> List<GroupTaskImpl<T>> submitAll(
            List<GroupTask<T>> tasks, Function<GroupTask<T>, GroupTaskImpl<T>> submit) {
        List<GroupTaskImpl<T>> submitted = new ArrayList<>(tasks.size());
        try {
            for (GroupTask<T> task : tasks) {
                submitted.add(submit.apply(task));
            }
        } catch (IllegalStateException shutDown) {
            cancelAll(submitted); // the caller gets no handles and cannot cancel them
            throw shutDown;
        }
        return submitted;
    }

    /** Cancels in reverse order. In submission order, the permit of a cancelled task would start the next one. */
    static void cancelAll(List<? extends TaskHandle<?>> handles) {
        handles.reversed().forEach(handle -> handle.cancel(true));
    }

    private static void awaitOutcome(TaskHandle<?> handle) throws InterruptedException {
        try {
            handle.await();
        } catch (RejectedTaskException e) {
            // its result has the status REJECTED
        }
    }
}
