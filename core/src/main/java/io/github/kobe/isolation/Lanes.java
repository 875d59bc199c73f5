package io.github.kobe.isolation;

import io.github.kobe.internal.Histogram;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** The books about lanes. What is in them explains; what decides is in {@link Tenants}. */
final class Lanes {

    /** One lane's. */
    private static final class Book {
        private final AtomicInteger running = new AtomicInteger();
        private final LongAdder started = new LongAdder();
        private final Histogram waiting = new Histogram();
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

    void enter(Lane lane, long waitedNanos) {
        Book book = book(lane);
        book.running.incrementAndGet();
        book.started.increment();
        book.waiting.record(waitedNanos);
    }

    void leave(Lane lane) {
        book(lane).running.decrementAndGet();
    }

    int running(Lane lane) {
        return book(lane).running.get();
    }

    long started(Lane lane) {
        return book(lane).started.sum();
    }

    Histogram waiting(Lane lane) {
        return book(lane).waiting;
    }
}
