package io.github.kobe.isolation;

import io.github.kobe.internal.Histogram;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The books about lanes. What is in them explains; what decides is in {@link Tenants}.
 *
 * <p>Who enters is written down by one at a time; who leaves is counted from everywhere.
 */
final class Lanes {

    /** One lane's. */
    private static final class Book {
        private final AtomicLong left = new AtomicLong();
        private final Histogram waiting = new Histogram();
        private long entered;
    }

    private final Map<Lane, Book> books = new EnumMap<>(Lane.class); // not changed once it is made

    Lanes() {
        for (Lane lane : Lane.values()) {
            books.put(lane, new Book());
        }
    }

    private Book book(Lane lane) {
        return Objects.requireNonNull(books.get(lane));
    }

    /** By one at a time. */
    void enter(Lane lane, long waitedNanos) {
        Book book = book(lane);
        book.entered++;
        book.waiting.record(waitedNanos);
    }

    void leave(Lane lane) {
        book(lane).left.incrementAndGet();
    }

    /** A look from outside, which may be a moment off. */
    int running(Lane lane) {
        Book book = book(lane);
        return (int) Math.max(0, book.entered - book.left.get());
    }

    Histogram waiting(Lane lane) {
        return book(lane).waiting;
    }
}
