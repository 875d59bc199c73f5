package io.github.kobe.soak;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The tasks of a face that are not verified yet. Thread-safe, except that only one thread at a time begins and ends bulk cancellations.
 *
 * <p>A bulk cancellation is an operation that may cancel any task of the face, such as a shutdown. It covers the tasks that exist when it
 * begins and those that are submitted until it ends.
 */
final class TaskTracker {

    private final Queue<TrackedTask> outstanding = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    /** Incremented when a bulk cancellation begins and when it ends. Odd in between. */
    private final AtomicInteger epoch = new AtomicInteger();

    /** Adds a task. Called before the task is submitted. */
    void add(TrackedTask task) {
        outstanding.add(task);
        size.incrementAndGet();
    }

    /** Returns the current epoch, for {@link #bulkCancelledSince}. */
    int epoch() {
        return epoch.get();
    }

    /** Returns whether a bulk cancellation was in progress in epoch {@code then} or has begun since. */
    boolean bulkCancelledSince(int then) {
        return then % 2 == 1 || epoch.get() != then;
    }

    /** Begins a bulk cancellation, if none is in progress. */
    void beginBulkCancel() {
        if (!isBulkCancelling()) {
            epoch.incrementAndGet();
        }
    }

    /** Ends the bulk cancellation, if one is in progress. */
    void endBulkCancel() {
        if (isBulkCancelling()) {
            epoch.incrementAndGet();
        }
    }

    boolean isBulkCancelling() {
        return epoch.get() % 2 == 1;
    }

    /** Returns how many tasks are not verified yet. */
    int size() {
        return size.get();
    }

    /** Looks at the {@code max} oldest tasks, and removes and verifies those that are completed. Each task is verified by one thread. */
    void verifyCompleted(int max, Consumer<TrackedTask> verifier) {
        for (int i = 0; i < max; i++) {
            TrackedTask task = outstanding.poll();
            if (task == null) {
                return;
            }
            if (isCompleted(task)) {
                size.decrementAndGet();
                verify(task, verifier);
            } else {
                outstanding.add(task);
            }
        }
    }

    private static boolean isCompleted(TrackedTask task) {
        return task.submitFailed || task.isHandleDone();
    }

    private static void verify(TrackedTask task, Consumer<TrackedTask> verifier) {
        if (!task.submitFailed) {
            verifier.accept(task);
        }
    }

    boolean allCompleted() {
        return outstanding.stream().allMatch(TaskTracker::isCompleted);
    }

    /** Removes and verifies all tasks, whether they are completed or not. */
    void verifyAll(Consumer<TrackedTask> verifier) {
        for (TrackedTask task = outstanding.poll(); task != null; task = outstanding.poll()) {
            size.decrementAndGet();
            verify(task, verifier);
        }
    }

    /** Describes the first tasks that are not completed. */
    String describeIncomplete() {
        StringBuilder text = new StringBuilder();
        outstanding.stream()
                .filter(task -> !isCompleted(task))
                .limit(5)
                .forEach(task -> text.append("\n    ").append(task));
        return text.isEmpty() ? " none" : text.toString();
    }
}
