package io.github.kobe.internal.kernel;

import io.github.kobe.internal.time.TimerEntry;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The permits of limits that a group keeps while it waits for another limit, for a bounded time. {@code LimitScheduler.moveOn} decides when it may.
 *
 * <p><b>No deadlock.</b> While a group that keeps permits waits for a limit, no permits of that limit are kept, see {@link Limit#tryKeep} and {@link Limit#tryAwait}. So those that it
 * waits for are held by running tasks, or saved for a group that gives them back without waiting.
 *
 * <pre>
 *   IN_HAND   a thread has polled the group, and has the permits
 *   WAITING   the group waits in a ready queue, or for permits that are saved for it
 *   OVER      they are used, or given back
 *
 *   IN_HAND ──▶ WAITING   by the thread that has polled the group, before it adds the group to a ready queue
 *   WAITING ──▶ IN_HAND   by the thread that polls the group
 *   WAITING ──▶ OVER      by the timer, or by the thread that has put them back after the timer fired; it gives the permits back
 *   IN_HAND ──▶ OVER      by the thread that has them
 * </pre>
 */
final class KeptPermits extends TimerEntry {

    private static final int IN_HAND = 0;
    private static final int WAITING = 1;
    private static final int OVER = 2;

    final Group group;
    final int cost;
    private final Consumer<KeptPermits> onExpiry;
    private final AtomicInteger state = new AtomicInteger(IN_HAND);
    private volatile boolean expired;
    private long limits; // a bit for each limit, by its number in the group; handed over by the state
    private Limit awaited; // likewise

    KeptPermits(Group group, int cost, Limit awaited, Consumer<KeptPermits> onExpiry) {
        this.awaited = awaited;
        this.group = group;
        this.cost = cost;
        this.onExpiry = onExpiry;
    }

    /** With the permits in hand: those of the limit {@code number} are kept too. */
    void add(int number) {
        limits |= 1L << number;
    }

    /** Whether permits of the limit {@code number} are kept. For the thread that has them in hand, or that has ended them. */
    boolean has(int number) {
        return (limits & 1L << number) != 0;
    }

    /** The limit that the group waits for. As {@link #has}. */
    Limit awaited() {
        return awaited;
    }

    void setAwaited(Limit limit) {
        awaited = limit;
    }

    boolean tryTake() {
        return state.compareAndSet(WAITING, IN_HAND);
    }

    void put() {
        state.set(WAITING);
        if (expired) {
            giveBackIfWaiting(); // the timer may have found them in hand
        }
    }

    /** They are in hand, and used or given back by the caller. */
    void end() {
        state.set(OVER);
    }

    @Override
    public void fire() {
        expired = true;
        giveBackIfWaiting();
    }

    private void giveBackIfWaiting() {
        if (state.compareAndSet(WAITING, OVER)) {
            onExpiry.accept(this);
        }
    }
}
