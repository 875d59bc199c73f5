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

/** A dispatcher on virtual time: tickets hold their places for as long as they are told to, and nothing sleeps. */
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
        timer.advance(1); // 0 stands for "has not started"
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
        private final Runnable onEnd;

        TimedTask(String key, long duration, BiConsumer<String, Long> onStart, Runnable onEnd) {
            this.key = key;
            this.duration = duration;
            this.onStart = onStart;
            this.onEnd = onEnd;
        }

        @Override
        protected Object execute() {
            throw new AssertionError("nobody runs it");
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

    /** Hands in a ticket now. */
    public void submit(String key, long duration, BiConsumer<String, Long> onStart, Runnable onEnd) {
        Admission admission = dispatcher.submit(key, new TimedTask(key, duration, onStart, onEnd));
        if (admission != Admission.ADMITTED) {
            throw new AssertionError(admission);
        }
    }

    @Override
    public void start(Runnable work) {
        @SuppressWarnings("unchecked")
        TimedTask ticket = (TimedTask) work;
        int place = ticket.register();
        Objects.requireNonNull(ticket.group())
                .running()
                .remove(place); // made for a thread each: from one it would grow and grow
        running++;
        mostRunning = Math.max(mostRunning, running);
        ticket.onStart.accept(ticket.key, timer.nanoTime() - ticket.asked);
        if (ticket.duration != FOR_EVER) {
            at(timer.nanoTime() + ticket.duration, () -> {
                running--;
                ticket.finishTask(place, "ran");
                ticket.onEnd.run();
            });
        }
    }

    /** Has something happen at that time, or now if it is past; in the order of the calls if several are due. */
    public void at(long time, Runnable action) {
        events.add(new Event(time, sequence++, action));
    }

    public void runUntil(long end) {
        for (; ; ) {
            Event next = events.peek();
            long due = Math.min(end, next == null ? end : next.time);
            if (timer.nextDue() <= due) {
                passTo(timer.nextDue()); // which may make for an event before that one
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

    /** The most that ever held places at once. */
    public int mostRunning() {
        return mostRunning;
    }

    public int cap() {
        return cap;
    }
}
