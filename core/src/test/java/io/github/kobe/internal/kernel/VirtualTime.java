package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import java.util.Comparator;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** A dispatcher on virtual time. Each task holds its permit for a given duration, and nothing sleeps. */
public final class VirtualTime implements TaskRunner, Timer {

    public static final long FOR_EVER = Long.MAX_VALUE;

    private record Event(long time, long sequence, Runnable action) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparingLong(Event::sequence));
    private final FakeTimer timer = new FakeTimer();
    private final Dispatcher dispatcher;
    private final int cap;
    private long sequence;
    private int running;
    private int mostRunning;

    public VirtualTime(Function<Timer, ReadyQueue> strategy, int cap) {
        timer.advance(1); // 0 means "not started"
        this.cap = cap;
        GroupLimits limits = new GroupLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);
        dispatcher = new Dispatcher(
                key -> limits, cap, Integer.MAX_VALUE, 100_000_000_000L, strategy.apply(timer), this, timer);
    }

    private final class TimedTask extends KernelTask<String> {
        private final String key;
        private final long asked = timer.nanoTime();
        private final long duration;
        private final BiConsumer<String, Long> onStart;
        private final Runnable onCompletion;

        TimedTask(String key, long duration, BiConsumer<String, Long> onStart, Runnable onCompletion) {
            this.key = key;
            this.duration = duration;
            this.onStart = onStart;
            this.onCompletion = onCompletion;
        }

        @Override
        protected Object execute() {
            throw new AssertionError("never runs");
        }

        @Override
        protected Object failed(Throwable fault) {
            throw new AssertionError(fault);
        }

        @Override
        protected String cancelled(String why) {
            return why;
        }
    }

    /** Submits a task now. */
    public void submit(String key, long duration, BiConsumer<String, Long> onStart, Runnable onCompletion) {
        Admission admission = dispatcher.submit(key, new TimedTask(key, duration, onStart, onCompletion));
        if (admission != Admission.ADMITTED) {
            throw new AssertionError(admission);
        }
    }

    @Override
    public void start(Runnable work) {
        @SuppressWarnings("unchecked")
        TimedTask task = (TimedTask) work;
        int slot = task.register();
        Objects.requireNonNull(task.group())
                .running()
                .remove(slot); // the registry expects one thread for each task, and would grow without bound
        running++;
        mostRunning = Math.max(mostRunning, running);
        task.onStart.accept(task.key, timer.nanoTime() - task.asked);
        if (task.duration != FOR_EVER) {
            at(timer.nanoTime() + task.duration, () -> {
                running--;
                task.finishTask(slot, "ran");
                task.onCompletion.run();
            });
        }
    }

    /**
     * Runs {@code action} at {@code time}, or now if that is past. Actions that are due together run in the order of the calls.
     */
    public void at(long time, Runnable action) {
        events.add(new Event(time, sequence++, action));
    }

    public void runUntil(long end) {
        for (; ; ) {
            Event next = events.peek();
            long due = Math.min(end, next == null ? end : next.time);
            if (timer.nextDue() <= due) {
                passTo(timer.nextDue()); // may add an event before the next one
            } else if (next != null && next.time <= end) {
                events.remove();
                passTo(next.time);
                next.action.run();
            } else {
                passTo(end);
                return;
            }
        }
    }

    private void passTo(long time) {
        timer.advance(Math.max(0, time - timer.nanoTime()));
    }

    @Override
    public long nanoTime() {
        return timer.nanoTime();
    }

    @Override
    public void start(TimerEntry timeout, long delayNanos) {
        timer.start(timeout, delayNanos);
    }

    @Override
    public boolean cancel(TimerEntry timeout) {
        return timer.cancel(timeout);
    }

    public Dispatcher dispatcher() {
        return dispatcher;
    }

    /** The highest number of tasks that held permits at once. */
    public int mostRunning() {
        return mostRunning;
    }

    public int cap() {
        return cap;
    }
}
