package io.github.kobe.stress.rig;

import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/** A timer whose time moves only when a race moves it. */
final class ManualTimer implements Timer {

    private static final Class<?> DEADLINE_MONITOR = kernelClass("DeadlineMonitor");
    private static final Class<?> KEPT_PERMITS = kernelClass("KeptPermits");

    private final ConcurrentLinkedQueue<TimerEntry> pending = new ConcurrentLinkedQueue<>();
    private volatile long now = 1; // a task reads 0 as "not set"

    /** Package-private in the kernel. A missing class fails here; otherwise races would skip its events and still pass. */
    private static Class<?> kernelClass(String name) {
        try {
            return Class.forName(AttemptState.class.getPackageName() + "." + name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public void start(TimerEntry entry, long delayNanos) {
        pending.add(entry);
    }

    @Override
    public boolean cancel(TimerEntry entry) {
        return pending.remove(entry);
    }

    /** Advances the clock, and fires each pending entry once, whatever its delay. Called by one thread at a time. */
    void advanceAndFireAll(long nanos) {
        advanceClock(nanos);
        int count = pending.size();
        for (int i = 0; i < count; i++) {
            TimerEntry entry = pending.poll();
            if (entry != null) {
                entry.fire();
            }
        }
    }

    /** Advances the clock. Called by one thread at a time. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    void advanceClock(long nanos) {
        now += nanos;
    }

    /** Removes the first entry for {@code event}; from then on it cannot be cancelled. {@code null} if there is none. */
    TimerEntry take(TimerEvent event) {
        for (TimerEntry entry : pending) {
            if (eventOf(entry) == event && pending.remove(entry)) {
                return entry;
            }
        }
        return null;
    }

    /** The number of entries that belong to one task each, or to kept permits. */
    int pendingTaskEntries() {
        return count(entry -> eventOf(entry) != null && eventOf(entry) != TimerEvent.MONITOR_SWEEP);
    }

    /** The number of entries that sweep the tasks of a group. */
    int pendingMonitorSweeps() {
        return count(entry -> eventOf(entry) == TimerEvent.MONITOR_SWEEP);
    }

    private int count(Predicate<TimerEntry> which) {
        return (int) pending.stream().filter(which).count();
    }

    /** {@code null} for an entry that is not about tasks, such as the idle sweep. */
    private static TimerEvent eventOf(TimerEntry entry) {
        Class<?> type = entry.getClass();
        if (type == DEADLINE_MONITOR) {
            return TimerEvent.MONITOR_SWEEP;
        }
        if (type == KEPT_PERMITS) {
            return TimerEvent.KEPT_PERMITS;
        }
        Class<?> owner = type.getEnclosingClass();
        if (owner != AttemptState.class && owner != DEADLINE_MONITOR) {
            return null;
        }
        return type.getSimpleName().startsWith("Retry") ? TimerEvent.RETRY : TimerEvent.TIME_LIMIT;
    }
}
