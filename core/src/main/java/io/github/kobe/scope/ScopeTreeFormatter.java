package io.github.kobe.scope;

import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Formats a scope and its child scopes as text: state, counts, and the queued and running tasks.
 *
 * <pre>
 * scope-1 open, 1 pending, 1 running, 1 succeeded, 0 failed, 0 cancelled; 29.9 s left
 *   load-user RUNNING for 12 ms on virtual thread scope-1 #34
 *   load-order PENDING
 *   scope-2 open, no tasks
 * </pre>
 */
final class ScopeTreeFormatter {

    private static final int MAX_TASKS = 50;

    private final StringBuilder text = new StringBuilder();

    private ScopeTreeFormatter() {}

    static String format(ScopeState scope) {
        return format(scope, List.of());
    }

    /** Also lists {@code awaited}, which may have completed. */
    static String format(ScopeState scope, Collection<? extends ScopeTaskImpl<?>> awaited) {
        ScopeTreeFormatter tree = new ScopeTreeFormatter();
        tree.add(scope, awaited, "");
        return tree.text.toString();
    }

    private void add(ScopeState scope, Collection<? extends ScopeTaskImpl<?>> awaited, String indent) {
        List<ScopeTaskImpl<?>> unfinished = scope.unfinishedTasks();
        Set<ScopeTaskImpl<?>> tasks = new TreeSet<>(Comparator.comparingLong(ScopeTaskImpl::id));
        tasks.addAll(unfinished);
        tasks.addAll(awaited);
        text.append(indent).append(headline(scope, unfinished));
        tasks.stream()
                .sorted(Comparator.comparingInt(ScopeTreeFormatter::displayRank)) // stable
                .limit(MAX_TASKS)
                .sorted(Comparator.comparingLong(ScopeTaskImpl::id))
                .forEach(task -> text.append('\n').append(indent).append("  ").append(describe(task)));
        if (tasks.size() > MAX_TASKS) {
            text.append('\n')
                    .append(indent)
                    .append("  and ")
                    .append(tasks.size() - MAX_TASKS)
                    .append(" more");
        }
        for (ScopeState child : scope.children()) {
            text.append('\n');
            add(child, List.of(), indent + "  ");
        }
    }

    /** If there are too many tasks, those with the lowest rank are shown. */
    private static int displayRank(ScopeTaskImpl<?> task) {
        return switch (task.state()) {
            case FAILED -> 0;
            case RUNNING -> 1;
            case PENDING -> 2;
            case CANCELLED -> 3;
            case SUCCESS -> 4;
        };
    }

    /** The first line. */
    private static String headline(ScopeState scope, List<ScopeTaskImpl<?>> unfinished) {
        ScopeState.Cancellation cancelled = scope.cancellation();
        String state = scope.isClosed() ? "closed" : cancelled == null ? "open" : "cancelled: " + cancelled.reason();
        String left = cancelled == null ? "; " + Durations.text(scope.timeLeft()) + " left" : "";
        return scope.id() + " " + state + ", " + counts(scope.tasksOrNull(), unfinished) + left;
    }

    private static String counts(@Nullable ScopeTasks tasks, List<ScopeTaskImpl<?>> unfinished) {
        if (tasks == null) {
            return "no tasks";
        }
        ScopeMetricsSnapshot metrics = tasks.metrics();
        return count(Task.State.PENDING, unfinished) + " pending, " + count(Task.State.RUNNING, unfinished)
                + " running, " + metrics.succeeded() + " succeeded, " + metrics.failed() + " failed, "
                + metrics.cancelled() + " cancelled";
    }

    private static long count(Task.State state, List<ScopeTaskImpl<?>> tasks) {
        return tasks.stream().filter(task -> task.state() == state).count();
    }

    /** Such as "load RUNNING for 12 ms on thread x". */
    static String describe(ScopeTaskImpl<?> task) {
        Task.State state = task.state();
        Thread thread = task.currentThread();
        long nanos = task.nanosSpent();
        return task.name()
                + ' '
                + state
                + (nanos == 0 ? "" : " for " + Durations.text(Duration.ofNanos(nanos)))
                + (thread == null ? "" : " on " + text(thread));
    }

    private static String text(Thread thread) {
        return (thread.isVirtual() ? "virtual thread " : "thread ") + thread.getName() + " #" + thread.threadId();
    }

    /** As {@link #describe}, with the top frame of its thread. */
    static String describeWithStack(ScopeTaskImpl<?> task) {
        Thread thread = task.currentThread();
        StackTraceElement[] stack = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        return describe(task) + (stack.length == 0 ? "" : " at " + stack[0]);
    }
}
