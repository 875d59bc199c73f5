package io.github.kobe.stress.rig;

import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/** Time that moves only when a race says so. */
final class ManualTimer implements Timer {

    private final ConcurrentLinkedQueue<TimerEntry> started = new ConcurrentLinkedQueue<>();
    private volatile long now = 1; // 0 would be "not yet" to a ticket

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public void start(TimerEntry timeout, long delayNanos) {
        started.add(timeout);
    }

    @Override
    public boolean cancel(TimerEntry timeout) {
        return started.remove(timeout);
    }

    /** Moves on, and fires once what was started, whenever it was for. Called by one thread at a time. */
    void advance(long nanos) {
        pass(nanos);
        int due = started.size();
        for (int i = 0; i < due; i++) {
            TimerEntry timeout = started.poll();
            if (timeout != null) {
                timeout.fire();
            }
        }
    }

    /** Takes out the first that is for no ticket alone, but to look at those of a group; {@code null} if there is none. */
    TimerEntry takeWatch() {
        return takeFirst(ManualTimer::isWatch);
    }

    /** Moves on. Called by one thread at a time. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void pass(long nanos) {
        now += nanos;
    }

    /** Takes out the first of its kind, which from then on cannot be cancelled; {@code null} if there is none. */
    TimerEntry take(TimerEvent kind) {
        return takeFirst(timeout -> timeout.getClass().getSimpleName().equalsIgnoreCase(kind.name()));
    }

    private TimerEntry takeFirst(Predicate<TimerEntry> which) {
        for (TimerEntry timeout : started) {
            if (which.test(timeout) && started.remove(timeout)) {
                return timeout;
            }
        }
        return null;
    }

    /** How many there are that belong to tickets. */
    int pending() {
        return count(timeout -> timeout.getClass().getEnclosingClass() == AttemptState.class);
    }

    /** How many there are that look at the tickets of a group. */
    int watches() {
        return count(ManualTimer::isWatch);
    }

    private int count(Predicate<TimerEntry> which) {
        return (int) started.stream().filter(which).count();
    }

    private static boolean isWatch(TimerEntry timeout) {
        return timeout.getClass().getSimpleName().equals("DeadlineMonitor");
    }
}
