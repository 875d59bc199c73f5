package io.github.kobe.scope;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The part of a task that measures how long it takes. Every task reads the clock when its work starts and when it completes. */
abstract sealed class TimedTask<T> extends AwaitableTask<T> permits ScopeTaskImpl {

    final @Nullable TaskSettings wishes;
    private long firstStartedAt; // written by its thread before begun

    TimedTask(ScopeTasks crew, @Nullable String name, Callable<T> work, @Nullable TaskSettings wishes) {
        super(crew, name, work);
        this.wishes = wishes;
    }

    /** Whether its threads are not its own. Then the work may start long after the task got its permit. */
    abstract boolean isSent();

    /** Its work starts, maybe once more. */
    final void begins() {
        if (!begun) {
            firstStartedAt = isSent() ? crew().now() : startedAt();
            begun = true;
            crew().countStart();
        }
    }

    final void countTime(TaskCompletion end, int number) {
        long nanos = nanos(end);
        crew().took(number * nanos, nanos);
    }

    /** When the work of its last attempt was done, of a task that has completed. */
    long workDoneAt() {
        return completedAt();
    }

    /** How long it has taken so far; 0 if it has not started. */
    final long nanosUpToNow() {
        return begun ? Math.max(0, crew().now() - firstStartedAt) : 0;
    }

    /** How long it took, or has taken so far; 0 if it never started. */
    final long nanosSpent() {
        TaskCompletion end = outcomeOrNull();
        return end == null ? nanosUpToNow() : nanos(end);
    }

    final long nanos(TaskCompletion end) {
        if (end.nanos() != TaskCompletion.ITS_OWN) {
            return end.nanos();
        }
        return begun ? Math.max(0, workDoneAt() - firstStartedAt) : 0;
    }
}
