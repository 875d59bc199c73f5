package io.github.kobe.isolation;

import io.github.kobe.internal.fair.Competitor;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What happens, told by many threads without a lock, and taken in order by the one that has it: so nobody who only has something to
 * tell ever waits.
 */
final class EventInbox {

    /** One thing that happened. Made when it does: a collector has less to do for what is new than for what has been there for long. */
    abstract static class Event {

        /** While it is told, the one told before it; while it is being taken, the one told after it. */
        private @Nullable Event next;

        abstract void deliverTo(Handler reader);
    }

    /** The one who has the lock. */
    interface Handler {
        void onQueued(KeyState share, Competitor group, long since);

        void onStarted(KeyState share, long now);

        void onCompleted(KeyState share, long start, long now);
    }

    /** The latest is in the middle of lines of the cache that nobody else uses. */
    private static final int MIDDLE = 16;

    private final AtomicReferenceArray<@Nullable Event> latest = new AtomicReferenceArray<>(2 * MIDDLE + 1);

    void post(Event item) {
        Event before;
        do {
            before = latest.get(MIDDLE);
            item.next = before;
        } while (!latest.compareAndSet(MIDDLE, before, item));
    }

    boolean isEmpty() {
        return latest.get(MIDDLE) == null;
    }

    /** In the order in which they were told. */
    void drainTo(Handler reader) {
        if (isEmpty()) {
            return;
        }
        for (Event item = reverse(latest.getAndSet(MIDDLE, null)); item != null; item = item.next) {
            item.deliverTo(reader);
        }
    }

    private static @Nullable Event reverse(@Nullable Event latestFirst) {
        Event oldest = null;
        for (Event item = latestFirst; item != null; ) {
            Event before = item.next;
            item.next = oldest;
            oldest = item;
            item = before;
        }
        return oldest;
    }
}
