package io.github.kobe.scope;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Launches on their way to threads that are not their own, which the calling thread sends when it is done with what it is at.
 *
 * <p>A task's end makes room for the next one, and to send that may run it right there: with a full pool, or a group that runs it in
 * its caller. So it is not sent from inside the end of the first, but after it, by the same thread; and if the thread is not one to
 * run another task on, being the timer's, a canceller's, or made for the first, by a fresh one.
 */
final class HandoffQueue {

    private static final TransientThreadLocal<HandoffQueue> HERE = new TransientThreadLocal<>();

    private final Queue<Handoff> launches = new ArrayDeque<>();

    private HandoffQueue() {}

    /** Does {@code work}, then sends what that has posted; or leaves it to one around it. */
    static void after(Runnable work) {
        if (HERE.get() == null) {
            anew(work);
        } else {
            work.run();
        }
    }

    /** Does {@code work}, and sends what that has posted before this returns, whatever the thread is at. */
    static void anew(Runnable work) {
        HandoffQueue before = HERE.get();
        HandoffQueue fresh = new HandoffQueue();
        HERE.set(fresh);
        try {
            work.run();
            fresh.sendAll();
        } finally {
            restore(before);
        }
    }

    private void sendAll() {
        for (Handoff next = launches.poll(); next != null; next = launches.poll()) {
            next.send();
        }
    }

    /** Has {@code launch} sent soon. */
    static void post(Handoff launch) {
        HandoffQueue here = HERE.get();
        if (here == null) {
            launch.spawnSend();
        } else {
            here.launches.add(launch);
        }
    }

    /** While code of users runs, which may wait for what is sent, nothing is put off. For {@link #restore}. */
    static @Nullable HandoffQueue hide() {
        HandoffQueue before = HERE.get();
        if (before != null) {
            HERE.remove();
        }
        return before;
    }

    static void restore(@Nullable HandoffQueue before) {
        HERE.restore(before);
    }
}
