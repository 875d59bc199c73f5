package io.github.kobe.internal;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of a group that are on a thread now, so that a shutdown can reach them.
 *
 * <p>Entering is one compare-and-set on a slot that is nearly always free, leaving is one store, and neither allocates. The
 * slots are segments of growing size, newest first; a segment is added when a few probes of the newest find it crowded, and
 * all of them go with the group when it falls idle.
 */
final class RunningSet {

    private static final int FIRST_SIZE = 4;
    private static final int GROWTH = 4;
    private static final int PROBES = 8;
    private static final int INDEX_BITS = 24;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;

    private final AtomicReference<@Nullable Segment> newest = new AtomicReference<>();

    /**
     * Enters {@code ticket}; a {@link #forEach} that starts after this returned sees it until it is removed.
     *
     * @return where it is, for {@link #remove}
     */
    int add(Ticket<?> ticket) {
        int start = (int) Thread.currentThread().threadId();
        for (; ; ) {
            Segment segment = newest.get();
            int index = segment == null ? -1 : segment.claim(ticket, start);
            if (segment != null && index >= 0) {
                return segment.level << INDEX_BITS | index;
            }
            newest.compareAndSet(segment, new Segment(segment));
        }
    }

    /** Takes out the ticket that {@link #add} put at {@code place}. */
    void remove(int place) {
        int level = place >>> INDEX_BITS;
        Segment segment = Objects.requireNonNull(newest.get());
        while (segment.level != level) {
            segment = Objects.requireNonNull(segment.older);
        }
        segment.slots.setRelease(place & INDEX_MASK, null);
    }

    /** Shows every ticket that is in here for the whole of the call, and maybe others, to {@code action}. */
    void forEach(Consumer<Ticket<?>> action) {
        for (Segment s = newest.get(); s != null; s = s.older) {
            for (int i = 0; i < s.slots.length(); i++) {
                Ticket<?> ticket = s.slots.get(i);
                if (ticket != null) {
                    action.accept(ticket);
                }
            }
        }
    }

    private static final class Segment {
        final @Nullable Segment older;
        final int level;
        final AtomicReferenceArray<@Nullable Ticket<?>> slots;

        Segment(@Nullable Segment older) {
            this.older = older;
            this.level = older == null ? 0 : older.level + 1;
            this.slots = new AtomicReferenceArray<>(
                    older == null ? FIRST_SIZE : Math.min(INDEX_MASK + 1, older.slots.length() * GROWTH));
        }

        int claim(Ticket<?> ticket, int start) {
            int mask = slots.length() - 1;
            for (int i = 0; i < PROBES; i++) {
                int index = (start + i) & mask;
                if (slots.getPlain(index) == null && slots.compareAndSet(index, null, ticket)) {
                    return index;
                }
            }
            return -1;
        }
    }
}
