package io.github.kobe.scope;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The part of a task that knows how long it took. */
abstract sealed class TimedTask<T> extends AwaitableTask<T> permits ScopeTaskImpl {

    /** Tasks do not come thick, or it is timed anyway; else it is one of those that are timed for others, or of those others. */
    private static final byte FOR_ITSELF = 0;

    private static final byte FOR_OTHERS = 1;
    private static final byte BY_OTHERS = 2;

    final @Nullable TaskSettings wishes;
    private byte timing; // for its thread
    private long begunAt; // if it is sent

    TimedTask(ScopeTasks crew, @Nullable String name, Callable<T> work, @Nullable TaskSettings wishes) {
        super(crew, name, work);
        this.wishes = wishes;
    }

    /** Whether its threads are not its own: then the work may begin long after the ticket has its place. */
    abstract boolean isSent();

    /** Its work begins for the first time. */
    final void begins() {
        begunAt = isSent() ? crew().now() : 0;
        begun = true;
    }

    /** Of an end of its own this is its thread, which has set {@code timing}; others have looked at the clock for their end. */
    final void countTime(TaskCompletion end, int number) {
        long nanos = nanos(end);
        boolean forItself = timing == FOR_ITSELF || end.nanos() != TaskCompletion.ITS_OWN;
        long total = forItself ? nanos : Glance.weighted(nanos, timing == FOR_OTHERS);
        crew().took(number * total, nanos);
    }

    /** If tasks come thick, what was seen last; but a budget runs from the start, so then it looks. */
    @Override
    protected long startTime() {
        Glance glance = crew().glance();
        long last = glance == null || wishes != null ? 0 : glance.last();
        if (glance == null || last == 0) {
            return super.startTime();
        }
        timing = Glance.isTimed(id()) ? FOR_OTHERS : BY_OTHERS;
        return timing == FOR_OTHERS ? glance.look() : last;
    }

    /** One that does not succeed is looked at by somebody, so it looks itself. */
    @Override
    protected long endTime(@Nullable Object result) {
        Glance glance = crew().glance();
        boolean succeeds = result instanceof TaskCompletion end && end.isSuccess();
        if (glance == null || timing == FOR_ITSELF || !succeeds) {
            return super.endTime(result);
        }
        return timing == FOR_OTHERS ? glance.look() : glance.lookIfLong(startedAt());
    }

    /** When it first began to run; 0 if it has not. */
    private long firstStart() {
        if (!begun || isSent()) {
            return begun ? begunAt : 0;
        }
        long first = wishes == null ? 0 : wishes.plan.firstStartedAt();
        return first == 0 ? startedAt() : first;
    }

    /** How long it has taken so far; 0 if it has not begun. */
    final long nanosUpToNow() {
        long start = firstStart();
        return start == 0 ? 0 : Math.max(0, crew().now() - start);
    }

    /** How long it took, or has taken so far; 0 if it never began. */
    final long nanosSpent() {
        TaskCompletion end = outcomeOrNull();
        return end == null ? nanosUpToNow() : nanos(end);
    }

    final long nanos(TaskCompletion end) {
        if (end.nanos() != TaskCompletion.ITS_OWN) {
            return end.nanos();
        }
        long start = firstStart();
        return start == 0 ? 0 : Math.max(0, completedAt() - start);
    }
}
