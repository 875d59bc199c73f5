package io.github.kobe.isolation;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What happens, told by many threads without a lock, and taken in order by the one that has it: so nobody who only has something to
 * tell ever waits.
 */
final class News {

    /** One thing that happened. Told once. */
    abstract static class Item {

        private @Nullable Item
                next; // while it is told, the one told before it; once it is taken, the one told after it

        /** Has it change what it changes; by the one who has the lock. */
        abstract void takeIn();
    }

    private final AtomicReference<@Nullable Item> latest = new AtomicReference<>();

    void tell(Item item) {
        Item before;
        do {
            before = latest.get();
            item.next = before;
        } while (!latest.compareAndSet(before, item));
    }

    boolean isEmpty() {
        return latest.get() == null;
    }

    /** In the order in which they were told. */
    void takeIn() {
        if (isEmpty()) {
            return;
        }
        Item item = oldestFirst(latest.getAndSet(null));
        while (item != null) {
            Item after = item.next;
            item.next = null; // somebody may keep this one, but not all that came after it
            item.takeIn();
            item = after;
        }
    }

    private static @Nullable Item oldestFirst(@Nullable Item latestFirst) {
        Item oldest = null;
        for (Item item = latestFirst; item != null; ) {
            Item before = item.next;
            item.next = oldest;
            oldest = item;
            item = before;
        }
        return oldest;
    }
}
