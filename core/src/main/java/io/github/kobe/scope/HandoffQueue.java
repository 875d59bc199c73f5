package io.github.kobe.scope;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Handoffs that the calling thread sends when it has finished its current work.
 *
 * <p>The completion of a task releases a permit, and sending the next handoff may run that task on the same thread: if a pool is full, or
 * if a group runs tasks on their submitters. So the handoff is not sent inside the completion of the first task but after it, by the same
 * thread. The timer's thread, a canceller, and a thread that was made for the first task must not run another task: they have a fresh
 * thread send it.
 */
final class HandoffQueue {

    private static final ThreadLocal<@Nullable HandoffQueue> CURRENT = new ThreadLocal<>();

    private final Queue<Handoff> handoffs = new ArrayDeque<>();

    private HandoffQueue() {}

    /** Runs {@code work}, then sends what it has posted; if the thread is inside such a call, the outer one sends. */
    static void sendAfter(Runnable work) {
        if (CURRENT.get() == null) {
            sendBeforeReturn(work);
        } else {
            work.run();
        }
    }

    /** Runs {@code work}, and sends what it has posted before this returns. */
    static void sendBeforeReturn(Runnable work) {
        HandoffQueue before = CURRENT.get();
        HandoffQueue fresh = new HandoffQueue();
        CURRENT.set(fresh);
        try {
            work.run();
            fresh.sendAll();
        } finally {
            restore(before);
        }
    }

    private void sendAll() {
        for (Handoff next = handoffs.poll(); next != null; next = handoffs.poll()) {
            next.send();
        }
    }

    /** Has {@code handoff} sent soon. */
    static void post(Handoff handoff) {
        HandoffQueue current = CURRENT.get();
        if (current == null) {
            handoff.sendFromFreshThread();
        } else {
            current.handoffs.add(handoff);
        }
    }

    /** While user code runs, nothing is deferred, because it may wait for what it submits. Returns the argument for {@link #restore}. */
    static @Nullable HandoffQueue hide() {
        HandoffQueue before = CURRENT.get();
        if (before != null) {
            CURRENT.remove();
        }
        return before;
    }

    static void restore(@Nullable HandoffQueue before) {
        if (before == null) {
            CURRENT.remove(); // leaves no entry in the map of a thread that is not ours
        } else {
            CURRENT.set(before);
        }
    }
}
