package io.github.kobe.isolation;

import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Remembers the latest decisions, and tells the listener of all of them, elsewhere. */
final class DecisionLog implements CapacityPolicy.Journal {

    private static final int REMEMBERED = 64;
    private static final int MOST_UNTOLD = 1024;

    private final Timer timer;
    private final long beginning;
    private final @Nullable IsolationListener listener;
    private final Faults faults;
    private final Consumer<Runnable> elsewhere;
    private final Deque<Decision> latest = new ArrayDeque<>();
    private final BlockingQueue<Decision> untold = new ArrayBlockingQueue<>(MOST_UNTOLD);
    private final AtomicBoolean telling = new AtomicBoolean();

    DecisionLog(Timer timer, @Nullable IsolationListener listener, Faults faults, Consumer<Runnable> elsewhere) {
        this.timer = timer;
        this.beginning = timer.nanoTime();
        this.listener = listener;
        this.faults = faults;
        this.elsewhere = elsewhere;
    }

    @Override
    public void laneChanged(String key, boolean slow) {
        note(new Decision.LaneChange(at(), key, slow ? Lane.FAST : Lane.SLOW, slow ? Lane.SLOW : Lane.FAST));
    }

    @Override
    public void reserveChanged(int from, int to) {
        note(new Decision.ReserveChange(at(), from, to));
    }

    private Duration at() {
        return Duration.ofNanos(timer.nanoTime() - beginning);
    }

    private void note(Decision decision) {
        synchronized (latest) {
            if (latest.size() == REMEMBERED) {
                latest.removeFirst();
            }
            latest.addLast(decision);
        }
        if (listener != null && untold.offer(decision) && telling.compareAndSet(false, true)) {
            elsewhere.accept(this::tell);
        }
    }

    /** One at a time; who comes while it is at its last look is told of by itself. */
    private void tell() {
        do {
            for (Decision next = untold.poll(); next != null; next = untold.poll()) {
                tell(next);
            }
            telling.set(false);
        } while (!untold.isEmpty() && telling.compareAndSet(false, true));
    }

    private void tell(Decision decision) {
        try {
            if (listener != null) {
                listener.onDecision(decision);
            }
        } catch (Throwable fault) {
            faults.report("isolation listener", decision, fault);
        }
    }

    List<Decision> latest() {
        synchronized (latest) {
            return List.copyOf(latest);
        }
    }
}
