package io.github.kobe.isolation;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What happens to keys, told by many threads without a lock, and taken in order by the one that has it: so nobody who only has
 * something to tell ever waits.
 */
final class News {

    /** One thing that happened. */
    static final class Item {
        final TenantShare share;
        final boolean ended;
        final long start;
        final long at;

        @Nullable
        Item next; // while it is told, the one told before it; once it is taken, the one told after it

        private Item(TenantShare share, boolean ended, long start, long at) {
            this.share = share;
            this.ended = ended;
            this.start = start;
            this.at = at;
        }
    }

    private final AtomicReference<@Nullable Item> latest = new AtomicReference<>();

    /** A key got in line. */
    void joined(TenantShare share, long at) {
        tell(new Item(share, false, at, at));
    }

    /** A task that had its place from {@code start} on gave it back. */
    void ended(TenantShare share, long start, long at) {
        tell(new Item(share, true, start, at));
    }

    private void tell(Item item) {
        Item before;
        do {
            before = latest.get();
            item.next = before;
        } while (!latest.compareAndSet(before, item));
    }

    boolean isEmpty() {
        return latest.get() == null;
    }

    /** All there is; the oldest, from which the others follow. */
    @Nullable
    Item take() {
        if (isEmpty()) {
            return null;
        }
        Item item = latest.getAndSet(null);
        Item oldest = null;
        while (item != null) {
            Item before = item.next;
            item.next = oldest;
            oldest = item;
            item = before;
        }
        return oldest;
    }
}
