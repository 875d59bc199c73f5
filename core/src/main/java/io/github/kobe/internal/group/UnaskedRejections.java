package io.github.kobe.internal.group;

import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Faults;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Logs rejections that no caller has heard of: {@code submit} returned a handle, and a minute later no caller had asked the handle for its
 * outcome. A caller that submits and ignores the handle would lose its tasks without a word.
 *
 * <p>Rejections are only counted, by group; a handle that is asked takes its own off the count. Each sweep logs what is left of the counts that
 * the sweep before it closed, so a rejection is logged one to two minutes after it happened.
 *
 * <p>A sweep replaces the open counts. A thread that read them before that still adds to its count, which the next sweep reads. A caller may ask
 * after its count was read; then the number in the log is too high by one.
 */
final class UnaskedRejections {

    private static final long PERIOD = TimeUnit.MINUTES.toNanos(1);

    /** Rejections of further groups are not counted: keys may be chosen by an attacker. */
    private static final int MAX_GROUPS = 1_000;

    private final Faults faults;
    private final PeriodicSweep sweep;
    private volatile Map<String, Count> open = new ConcurrentHashMap<>();
    private Map<String, Count> closed = Map.of(); // used by sweeps, one at a time

    /** The rejections of one group whose handles were not asked. */
    static final class Count implements Faults.Grouped {
        private final GroupTaskImpl<?> first;
        private final AtomicLong number = new AtomicLong();

        private Count(GroupTaskImpl<?> first) {
            this.first = first;
        }

        /** A caller has asked one of the handles. */
        void asked() {
            number.getAndDecrement();
        }

        @Override
        public String groupKey() {
            return first.groupKey();
        }

        @Override
        public String toString() {
            long tasks = number.get();
            return tasks + (tasks == 1 ? " task" : " tasks") + " of group '" + groupKey() + "', the first one: '"
                    + first.taskId() + "', " + first.rejection();
        }
    }

    UnaskedRejections(Timer timer, Faults faults) {
        this.faults = faults;
        this.sweep = new PeriodicSweep(timer, PERIOD, this::logUnasked, this::isNeeded);
    }

    /** Counts a rejection. The caller passes the count on to the handle. */
    Count rejected(GroupTaskImpl<?> task) {
        Map<String, Count> counts = open;
        Count count = counts.get(task.groupKey());
        if (count == null) {
            Count created = new Count(task);
            count = counts.size() < MAX_GROUPS ? counts.computeIfAbsent(task.groupKey(), key -> created) : created;
        }
        count.number.getAndIncrement();
        scheduleSweep();
        return count;
    }

    private void scheduleSweep() {
        try {
            sweep.schedule();
        } catch (Throwable noTimerThread) {
            // the next rejection tries again
        }
    }

    private boolean isNeeded() {
        return !open.isEmpty() || !closed.isEmpty();
    }

    private void logUnasked() {
        for (Count count : closed.values()) {
            if (count.number.get() > 0) {
                faults.warn("rejected, and no caller has asked the handle", count, null);
            }
        }
        closed = open;
        open = new ConcurrentHashMap<>();
    }
}
