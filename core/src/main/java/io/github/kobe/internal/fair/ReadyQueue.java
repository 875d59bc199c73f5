package io.github.kobe.internal.fair;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which group is served next when a place under the global cap is free.
 *
 * <p>The kernel adds a group when it has both work and room of its own, never while it is in here already. Implementations
 * are safe for use by many threads and never block on user code. An {@code add} that happened before a {@code poll} or
 * {@code isEmpty} is seen by it: the dispatcher's argument that no wake-up is lost rests on that.
 */
public interface ReadyQueue {

    /** What it wants to keep about a new group; found again by {@link Competitor#fairnessState}. */
    default FairnessState newState() {
        return new FairnessState();
    }

    /** Told once, before anything else: {@code serve} has free places offered again, to whoever is next by then. */
    default void onCapacity(Runnable serve) {}

    /** Puts a group in line. */
    void add(Competitor group);

    /** As {@link #add(Competitor)}, by a caller that has just looked at the clock. */
    default void add(Competitor group, long now) {
        add(group);
    }

    /**
     * Takes out the group that is next, or {@code null} if there is none. There may also be none for now, because of a group that
     * is in the hands of another caller: that one polls again, having added the group or let it go. Or because the free places are
     * held back from all that are in line: one who holds places back has what it was given by {@link #onCapacity} run when that is over.
     */
    @Nullable
    Competitor poll();

    /** As {@link #poll()}, by a caller that would have a ticket of the group start at {@code now}. */
    default @Nullable Competitor poll(long now) {
        return poll();
    }

    /** Whether no group is in line, or none for now. */
    boolean isEmpty();

    /** Takes out the groups that {@code leaves} is true of, which is asked with each of them in hand. The caller polls next. */
    default void removeIf(Predicate<Competitor> leaves) {
        List<Competitor> stay = new ArrayList<>();
        for (Competitor group = poll(); group != null; group = poll()) {
            if (!leaves.test(group)) {
                stay.add(group);
            }
        }
        stay.forEach(this::add);
    }

    /** Whether it matters of each ticket when it was put in line; else it is looked at of some only. */
    default boolean needsQueueTimes() {
        return false;
    }

    /** The caller, who polled the group, starts one of its tickets at {@code now}; it adds the group again if that is still ready. */
    default void started(Competitor group, long now) {}

    /** The caller, who polled the group, does not add it again: it is at its own limit, or, if {@code idle}, has nothing waiting. */
    default void left(Competitor group, boolean idle) {}

    /**
     * Whether a task of the group may try to start without being queued. False only if {@link #startedDirectly} would surely be false:
     * then no permit is taken that has to be given back.
     */
    default boolean mayStartDirectly(Competitor group) {
        return true;
    }

    /**
     * A ticket of the group has got a place at {@code now} without waiting; only if {@link #chargesTime}.
     *
     * @return false if it is to give the place back and wait in line, since that place is held back from the group
     */
    default boolean startedDirectly(Competitor group, long now) {
        return true;
    }

    /** A ticket of the group that had got a place at {@code start} gave it back at {@code now}. Only if {@link #chargesTime}. */
    default void completed(Competitor group, long start, long now) {}

    /** Whether it wants to know how long tickets hold their places. */
    default boolean chargesTime() {
        return false;
    }
}
