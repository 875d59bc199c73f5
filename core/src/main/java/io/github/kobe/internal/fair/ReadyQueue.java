package io.github.kobe.internal.fair;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides which group is next when a permit of a limit over several groups is free.
 *
 * <p>The kernel adds a group when the group has a queued task and a free permit of its own, and never while the group is in the queue.
 * Implementations are thread-safe and never call user code. An {@code add} that happened before a {@code poll} or {@code isEmpty} is
 * visible to it: the dispatcher relies on this to lose no wake-up.
 *
 * <p>A group is <i>polled</i> from when {@link #poll()} returns it until the same thread adds it again or calls {@link #left}.
 */
public interface ReadyQueue {

    /** Creates the state for a new group; {@link Competitor#fairnessState} returns it. */
    default FairnessState newState() {
        return new FairnessState();
    }

    /**
     * As {@link #newState()}, for a group that takes turns together with others, if the queue can do that.
     *
     * @param levels what it shares with others, outermost first
     */
    default FairnessState newState(List<Level> levels) {
        return newState();
    }

    /** The group of {@code state} has retired, or was never registered. It may still be queued. */
    default void forget(FairnessState state) {}

    /** A queue for another limit of the same executor. */
    default ReadyQueue another() {
        return new WeightedRoundRobin();
    }

    /**
     * Called once, before any other method.
     *
     * @param dispatch offers the free global permits again, to the group that is next by then. A queue that holds permits back runs it when
     *     it stops doing so
     */
    default void onCapacity(Runnable dispatch) {}

    /** Adds a group. */
    void add(Competitor group);

    /** As {@link #add(Competitor)}, for a caller that has just read the clock. */
    default void add(Competitor group, long now) {
        add(group);
    }

    /** As {@link #add(Competitor, long)}, for a group that holds permits of other limits while it waits: it goes first, as far as the queue can do that. */
    default void addFirst(Competitor group, long now) {
        add(group, now);
    }

    /**
     * Removes and returns the group that is next. Returns {@code null} if there is none, and also in two cases in which groups are queued.
     * First, another thread has polled a group: that thread polls again after it has added the group or called {@link #left}. Second, the
     * queue holds the free permits back from all queued groups: it runs the argument of {@link #onCapacity} when it stops doing so.
     */
    @Nullable
    Competitor poll();

    /** As {@link #poll()}, for a caller that would start a task of the group at {@code now}. */
    default @Nullable Competitor poll(long now) {
        return poll();
    }

    /** The caller of {@link #poll} has added the group again, or the group has left. Called before the task is started. */
    default void endPoll() {}

    /**
     * The caller is about to mark a group as ready, and then to add it. Until {@link #endAdd} the queue may have no group to poll: otherwise
     * a caller that is preempted between the two steps would leave the other groups all the starts. The caller dispatches after
     * {@link #endAdd}, also if it did not add the group.
     *
     * @return whether {@link #endAdd} has to be called
     */
    default boolean beginAdd() {
        return false;
    }

    /** See {@link #beginAdd}. */
    default void endAdd() {}

    /** Whether {@link #poll()} would return {@code null}, for good or for now. */
    boolean isEmpty();

    /** Whether no group is queued, about to be added, or held up by a thread that polls. False if the queue cannot tell. */
    default boolean isUnused() {
        return false;
    }

    /** Removes the groups for which {@code leaves} is true. Each group is polled while it is tested. The caller polls next. */
    default void removeIf(Predicate<Competitor> leaves) {
        List<Competitor> stay = new ArrayList<>();
        for (Competitor group = poll(); group != null; group = poll()) {
            if (!leaves.test(group)) {
                stay.add(group);
            }
        }
        stay.forEach(this::add);
    }

    /** The caller, which polled the group, starts one of its tasks at {@code now}. If the group is still ready, the caller adds it again. */
    default void started(Competitor group, long now) {}

    /** As {@link #started(Competitor, long)}, of a task that takes {@code cost} permits. */
    default void started(Competitor group, int cost, long now) {
        started(group, now);
    }

    /** The caller, which polled the group from the queue of another limit, starts one of its tasks. Called unless {@link #chargesTime}. */
    default void startedElsewhere(Competitor group, int cost) {}

    /**
     * The caller, which polled the group, does not add it again.
     *
     * @param idle whether the group has no queued task. If false, it keeps the rest of its turn: it is at its own limit, waits for another limit or for permits that
     *     are saved for it, or has no valid lease
     */
    default void left(Competitor group, boolean idle) {}

    /**
     * Whether a task of the group may try to start without being queued. False only if {@link #startedDirectly} would certainly return false:
     * then no permit is taken that must be put back.
     */
    default boolean mayStartDirectly(Competitor group) {
        return true;
    }

    /**
     * A task of the group has acquired a permit at {@code now} without being queued. Called only if {@link #chargesTime}.
     *
     * @return false if the queue holds that permit back from the group: then the task releases it and is queued
     */
    default boolean startedDirectly(Competitor group, long now) {
        return true;
    }

    /**
     * A task of the group has got a permit at {@code now} that the queue was not asked for: a waiting thread lent its own, or took one although
     * none was free. Called only if {@link #chargesTime}.
     */
    default void startedByForce(Competitor group, long now) {}

    /**
     * The number of running tasks whose global permit belongs to another running task has changed by {@code change}: so many more tasks run than
     * global permits are in use. Called only if {@link #chargesTime}.
     */
    default void sharedPermitsChanged(int change) {}

    /** A task of the group that had acquired its permit at {@code start} released it at {@code now}. Called only if {@link #chargesTime}. */
    default void completed(Competitor group, long start, long now) {}

    /** Whether the queue needs to know how long tasks hold their permits. */
    default boolean chargesTime() {
        return false;
    }
}
