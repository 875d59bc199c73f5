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
 * A scope in words, with those opened in it: what it is at, and the tasks that wait or run.
 *
 * <pre>
 * scope-1 open, 1 pending, 1 running, 1 succeeded, 0 failed, 0 cancelled; 29.9 s left
 *   load-user RUNNING for 12 ms on virtual thread scope-1 #34
 *   load-order PENDING
 *   scope-2 open, no tasks
 * </pre>
 */
final class ScopeTreeFormatter {

    private static final int MOST_TASKS = 50;

    private final StringBuilder text = new StringBuilder();

    private ScopeTreeFormatter() {}

    static String of(ScopeState scope) {
        return of(scope, List.of());
    }

    /** Shows {@code also} too, which may have ended. */
    static String of(ScopeState scope, Collection<? extends ScopeTaskImpl<?>> also) {
        ScopeTreeFormatter tree = new ScopeTreeFormatter();
        tree.add(scope, also, "");
        return tree.text.toString();
    }

    private void add(ScopeState scope, Collection<? extends ScopeTaskImpl<?>> also, String indent) {
        List<ScopeTaskImpl<?>> present = scope.present();
        Set<ScopeTaskImpl<?>> tasks = new TreeSet<>(Comparator.comparingLong(ScopeTaskImpl::id));
        tasks.addAll(present);
        tasks.addAll(also);
        text.append(indent).append(headline(scope, present));
        tasks.stream()
                .sorted(Comparator.comparingInt(ScopeTreeFormatter::rank)) // stable: equals stay in their order
                .limit(MOST_TASKS)
                .sorted(Comparator.comparingLong(ScopeTaskImpl::id))
                .forEach(task -> text.append('\n').append(indent).append("  ").append(line(task)));
        if (tasks.size() > MOST_TASKS) {
            text.append('\n')
                    .append(indent)
                    .append("  and ")
                    .append(tasks.size() - MOST_TASKS)
                    .append(" more");
        }
        for (ScopeState inner : scope.inner()) {
            text.append('\n');
            add(inner, List.of(), indent + "  ");
        }
    }

    /** Which to show if there are too many: least of all those that went well. */
    private static int rank(ScopeTaskImpl<?> task) {
        return switch (task.state()) {
            case FAILED -> 0;
            case RUNNING -> 1;
            case PENDING -> 2;
            case CANCELLED -> 3;
            case SUCCESS -> 4;
        };
    }

    /** The first line. */
    private static String headline(ScopeState scope, List<ScopeTaskImpl<?>> present) {
        CancellationReason cancelled = scope.cancellation();
        String state = scope.isClosed() ? "closed" : cancelled == null ? "open" : "cancelled: " + cancelled.why();
        String left = cancelled == null ? "; " + Durations.text(scope.timeLeft()) + " left" : "";
        return scope.id() + " " + state + ", " + counts(scope.crewOrNull(), present) + left;
    }

    private static String counts(@Nullable ScopeTasks crew, List<ScopeTaskImpl<?>> present) {
        if (crew == null) {
            return "no tasks";
        }
        ScopeMetricsSnapshot ended = crew.metrics();
        return count(Task.State.PENDING, present) + " pending, " + count(Task.State.RUNNING, present) + " running, "
                + ended.succeeded() + " succeeded, " + ended.failed() + " failed, " + ended.cancelled() + " cancelled";
    }

    private static long count(Task.State state, List<ScopeTaskImpl<?>> tasks) {
        return tasks.stream().filter(task -> task.state() == state).count();
    }

    /** Such as "load RUNNING for 12 ms on thread x". */
    static String line(ScopeTaskImpl<?> task) {
        Task.State state = task.state();
        Thread thread = task.onThread();
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

    /** As {@link #line}, with where its thread is. */
    static String whereabouts(ScopeTaskImpl<?> task) {
        Thread thread = task.onThread();
        StackTraceElement[] stack = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        return line(task) + (stack.length == 0 ? "" : " at " + stack[0]);
    }
}
