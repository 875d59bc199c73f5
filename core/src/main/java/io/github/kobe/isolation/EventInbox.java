package io.github.kobe.isolation;

import io.github.kobe.internal.fair.Competitor;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Events for {@link IsolationQueue}. Any thread posts an event without a lock. The thread that holds the lock of the queue processes the
 * events in the order of posting. So a thread that only reports an event never waits for the lock.
 *
 * <p>The events are a stack of linked objects, newest first; {@link #drainTo} takes the whole stack and reverses it. An event is a new
 * object, because a garbage collector handles young objects more cheaply than links between old ones.
 */
final class EventInbox {

    /** Processes events, under the lock of the queue. */
    interface Handler {
        void onQueued(KeyState key, Competitor group, long since);

        void onStarted(KeyState key, Competitor group, long now);

        void onCompleted(KeyState key, long start, long now);
    }

    /** One event. It refers to the key's state but does not read it: the state is in the cache of the thread that holds the lock. */
    private abstract static class Event {

        final KeyState key;

        /** In the inbox: the event posted before this one. While the events are processed: the event posted after it. */
        private @Nullable Event next;

        Event(KeyState key) {
            this.key = key;
        }

        abstract void deliverTo(Handler handler);
    }

    private static final class Queued extends Event {

        private final Competitor group;
        private final long since;

        Queued(KeyState key, Competitor group, long since) {
            super(key);
            this.group = group;
            this.since = since;
        }

        @Override
        void deliverTo(Handler handler) {
            handler.onQueued(key, group, since);
        }
    }

    private static final class Started extends Event {

        private final Competitor group;
        private final long start;

        Started(KeyState key, Competitor group, long start) {
            super(key);
            this.group = group;
            this.start = start;
        }

        @Override
        void deliverTo(Handler handler) {
            handler.onStarted(key, group, start);
        }
    }

    private static final class Completed extends Event {

        private final long start;
        private final long now;

        Completed(KeyState key, long start, long now) {
            super(key);
            this.start = start;
            this.now = now;
        }

        @Override
        void deliverTo(Handler handler) {
            handler.onCompleted(key, start, now);
        }
    }

    /** The newest event is in the middle of an array, so that it shares no cache line with other data. */
    private static final int NEWEST = 16;

    private final AtomicReferenceArray<@Nullable Event> slots = new AtomicReferenceArray<>(2 * NEWEST + 1);

    /** The key has a queued task that may start as far as the group's own limit goes. */
    void postQueued(KeyState key, Competitor group, long since) {
        post(new Queued(key, group, since));
    }

    /** A task of the key got a permit at {@code start}. */
    void postStarted(KeyState key, Competitor group, long start) {
        post(new Started(key, group, start));
    }

    /** A task of the key held a permit from {@code start} until {@code now}. */
    void postCompleted(KeyState key, long start, long now) {
        post(new Completed(key, start, now));
    }

    private void post(Event event) {
        Event before;
        do {
            before = slots.get(NEWEST);
            event.next = before;
        } while (!slots.compareAndSet(NEWEST, before, event));
    }

    boolean isEmpty() {
        return slots.get(NEWEST) == null;
    }

    /** Removes all events and passes them to {@code handler}, oldest first. */
    void drainTo(Handler handler) {
        if (isEmpty()) {
            return;
        }
        for (Event event = reverse(slots.getAndSet(NEWEST, null)); event != null; event = event.next) {
            event.deliverTo(handler);
        }
    }

    private static @Nullable Event reverse(@Nullable Event newestFirst) {
        Event oldestFirst = null;
        for (Event event = newestFirst; event != null; ) {
            Event before = event.next;
            event.next = oldestFirst;
            oldestFirst = event;
            event = before;
        }
        return oldestFirst;
    }
}
