package io.github.kobe.internal;

import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tickets of a group that wait: larger priorities first, equal ones in the order in which they came.
 *
 * <p>Those of priority 0 are in a plain queue. Only if there ever are others, they are in two ordered sets beside it, those that
 * go before and those that go after; so a group without priorities pays for one look at a field, and one with a million tickets
 * of a thousand priorities for a logarithm of them.
 *
 * <p>A ticket that was withdrawn stays where it is until it is met, or until there are more of its kind than others.
 */
class Line {

    private static final int PURGE_FLOOR = 64;

    private final Queue<Ticket<?>> plain = new ConcurrentLinkedQueue<>();
    private final AtomicInteger inert = new AtomicInteger(); // about how many; only decides when to purge
    private volatile @Nullable Ranks ranks; // written under the monitor, once

    /** Where a ticket with a priority of its own stands. */
    private record Rank(int priority, long number, Ticket<?> ticket) implements Comparable<Rank> {
        @Override
        public int compareTo(Rank other) {
            int byPriority = Integer.compare(other.priority, priority);
            return byPriority != 0 ? byPriority : Long.compare(number, other.number);
        }
    }

    /** Those with a priority of their own. */
    private static final class Ranks {
        final AtomicLong numbers = new AtomicLong();
        final ConcurrentSkipListSet<Rank> before = new ConcurrentSkipListSet<>();
        final ConcurrentSkipListSet<Rank> after = new ConcurrentSkipListSet<>();

        void add(int priority, Ticket<?> ticket) {
            (priority > 0 ? before : after).add(new Rank(priority, numbers.getAndIncrement(), ticket));
        }
    }

    void add(Ticket<?> ticket) {
        int priority = ticket.priority();
        if (priority == 0) {
            plain.add(ticket);
        } else {
            ranks().add(priority, ticket);
        }
    }

    private Ranks ranks() {
        Ranks known = ranks;
        return known == null ? makeRanks() : known;
    }

    private synchronized Ranks makeRanks() {
        Ranks known = ranks;
        if (known == null) {
            known = new Ranks();
            ranks = known;
        }
        return known;
    }

    /** Takes out the one that is next, which the caller is to start; {@code null} if none is linked. */
    @Nullable
    Ticket<?> take() {
        for (; ; ) {
            Ticket<?> ticket = poll();
            if (ticket == null || ticket.claim()) {
                return ticket;
            }
            inert.getAndDecrement();
        }
    }

    private @Nullable Ticket<?> poll() {
        Ranks ranked = ranks;
        if (ranked == null) {
            return plain.poll();
        }
        Ticket<?> ticket = ticketOf(ranked.before.pollFirst());
        if (ticket == null) {
            ticket = plain.poll();
        }
        return ticket == null ? ticketOf(ranked.after.pollFirst()) : ticket;
    }

    /** Takes out the oldest one of the lowest priority, which the caller is to turn away; {@code null} if none is linked. */
    @Nullable
    Ticket<?> takeLeast() {
        for (; ; ) {
            Ticket<?> ticket = pollLeast();
            if (ticket == null || ticket.claim()) {
                return ticket;
            }
            inert.getAndDecrement();
        }
    }

    private @Nullable Ticket<?> pollLeast() {
        Ranks ranked = ranks;
        Ticket<?> ticket = ranked == null ? null : pollLeast(ranked.after);
        if (ticket == null) {
            ticket = plain.poll();
        }
        return ticket == null && ranked != null ? pollLeast(ranked.before) : ticket;
    }

    private static @Nullable Ticket<?> pollLeast(ConcurrentSkipListSet<Rank> set) {
        while (!set.isEmpty()) {
            Iterator<Rank> last = set.descendingIterator();
            if (last.hasNext()) {
                Rank least = last.next();
                Rank oldest = set.ceiling(new Rank(least.priority, Long.MIN_VALUE, least.ticket));
                if (oldest != null && set.remove(oldest)) {
                    return oldest.ticket;
                }
            }
        }
        return null;
    }

    private static @Nullable Ticket<?> ticketOf(@Nullable Rank rank) {
        return rank == null ? null : rank.ticket;
    }

    boolean isEmpty() {
        Ranks ranked = ranks;
        return plain.isEmpty() && (ranked == null || (ranked.before.isEmpty() && ranked.after.isEmpty()));
    }

    /** Shows every ticket that is linked for the whole of the call, and maybe others. */
    void forEach(Consumer<Ticket<?>> action) {
        plain.forEach(action);
        Ranks ranked = ranks;
        if (ranked != null) {
            ranked.before.forEach(rank -> action.accept(rank.ticket));
            ranked.after.forEach(rank -> action.accept(rank.ticket));
        }
    }

    /** When the one that has waited longest came; {@code now} if none waits. Looks at all that have a priority of their own. */
    long oldest(long now) {
        Oldest oldest = new Oldest(now);
        for (Ticket<?> ticket : plain) {
            if (oldest.look(ticket)) {
                break; // those behind it came later
            }
        }
        Ranks ranked = ranks;
        if (ranked != null) {
            ranked.before.forEach(rank -> oldest.look(rank.ticket));
            ranked.after.forEach(rank -> oldest.look(rank.ticket));
        }
        return oldest.came;
    }

    private static final class Oldest {
        private long came;

        Oldest(long now) {
            came = now;
        }

        boolean look(Ticket<?> ticket) {
            long queuedAt = ticket.queuedAt();
            if (queuedAt == 0) {
                return false;
            }
            if (queuedAt - came < 0) {
                came = queuedAt;
            }
            return true;
        }
    }

    /** One more was withdrawn, and stays linked; {@code queued} were not. */
    void withdrawn(int queued) {
        int now = inert.incrementAndGet();
        if (now > PURGE_FLOOR && now > queued && inert.getAndSet(0) > PURGE_FLOOR) {
            plain.removeIf(Ticket::isInert);
            Ranks ranked = ranks;
            if (ranked != null) {
                ranked.before.removeIf(rank -> rank.ticket.isInert());
                ranked.after.removeIf(rank -> rank.ticket.isInert());
            }
        }
    }
}
