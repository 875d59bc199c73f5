package io.github.kobe.isolation;

import io.github.kobe.internal.jfr.FlightRecording;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Keeps the latest decisions, and notifies the listener of every decision on a thread of its own. */
final class DecisionLog implements CapacityPolicy.ChangeListener {

    private static final int MAX_REMEMBERED = 64;
    private static final int MAX_PENDING = 1024;

    private final String name;
    private final Timer timer;
    private final long createdAt;
    private final @Nullable IsolationListener listener;
    private final Faults faults;
    private final Executor executor;
    private final Deque<Decision> latest = new ArrayDeque<>();
    private final BlockingQueue<Decision> pending = new ArrayBlockingQueue<>(MAX_PENDING);
    private final AtomicBoolean notifying = new AtomicBoolean();

    /**
     * @param name the name of the isolation executor
     * @param executor runs the notification of the listener
     */
    DecisionLog(String name, Timer timer, @Nullable IsolationListener listener, Faults faults, Executor executor) {
        this.name = name;
        this.timer = timer;
        this.createdAt = timer.nanoTime();
        this.listener = listener;
        this.faults = faults;
        this.executor = executor;
    }

    @Override
    public void laneChanged(String key, boolean slow) {
        Lane from = slow ? Lane.FAST : Lane.SLOW;
        Lane to = slow ? Lane.SLOW : Lane.FAST;
        FlightRecording.laneChanged(name, key, from.name(), to.name());
        log(new Decision.LaneChange(at(), key, from, to));
    }

    @Override
    public void reserveChanged(int from, int to) {
        log(new Decision.ReserveChange(at(), from, to));
    }

    @Override
    public void ageCheckFailed(Throwable fault) {
        faults.warn("timer failed", "age check of running tasks", fault);
    }

    private Duration at() {
        return Duration.ofNanos(timer.nanoTime() - createdAt);
    }

    private void log(Decision decision) {
        synchronized (latest) {
            if (latest.size() == MAX_REMEMBERED) {
                latest.removeFirst();
            }
            latest.addLast(decision);
        }
        if (listener != null && pending.offer(decision) && notifying.compareAndSet(false, true)) {
            executor.execute(this::notifyListener);
        }
    }

    /**
     * Run by one thread at a time. A decision that is added after the last poll but before {@code notifying} is cleared starts no thread, so the
     * queue is checked again afterwards.
     */
    private void notifyListener() {
        do {
            for (Decision next = pending.poll(); next != null; next = pending.poll()) {
                notifyListener(next);
            }
            notifying.set(false);
        } while (!pending.isEmpty() && notifying.compareAndSet(false, true));
    }

    private void notifyListener(Decision decision) {
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
