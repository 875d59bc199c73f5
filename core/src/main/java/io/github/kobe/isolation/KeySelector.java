package io.github.kobe.isolation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Selects the next key to dispatch: fast keys first, then the key with the fewest running tasks among those that may take a free permit.
 * Not thread-safe.
 */
final class KeySelector {

    /** Once in this many starts, an overdue key goes before fast keys. */
    private static final int STARTS_PER_OVERDUE_CHECK = 8;

    private final KeyQueues queues;
    private final CapacityPolicy capacity;
    private final long targetNanos;
    private int startsSinceOverdueCheck;

    /**
     * Whether a key other than the fast ones could start when they were last looked at. If none could when the overdue check was due, the
     * check stays due until one can.
     */
    private boolean otherMayStart;

    private int moves; // overflows

    /** @param targetNanos a key without a running task is overdue when it has been queued for longer */
    KeySelector(KeyQueues queues, CapacityPolicy capacity, long targetNanos) {
        this.queues = queues;
        this.capacity = capacity;
        this.targetNanos = targetNanos;
    }

    void enqueue(KeyState key) {
        enqueueAs(key, capacity.classify(key, key.queuedSince), key.queuedSince);
    }

    /** Moves a queued key to the position that it should have now. */
    void requeue(KeyState key, long now) {
        queues.remove(key);
        enqueueAs(key, capacity.classify(key, now), now);
    }

    /** The limit of new keys or the white list has changed: moves the keys that are not at the limit any more. */
    void requeueAtLimit(long now) {
        queues.atLimit().forEach(key -> requeue(key, now));
    }

    private void enqueueAs(KeyState key, KeyClass keyClass, long now) {
        queues.add(key, keyClass, capacity.expectedTime(key, now));
        capacity.reassess(key, now);
    }

    /** Removes the key, which {@link #next} returned, and records that one of its tasks gets a permit. */
    void dispatch(KeyState key, long now) {
        boolean overdueStarts = !key.isQueuedAs(KeyClass.FAST) && isOverdue(key, now);
        boolean noneOverdue = startsSinceOverdueCheck >= STARTS_PER_OVERDUE_CHECK && otherMayStart;
        startsSinceOverdueCheck =
                overdueStarts || noneOverdue ? 0 : Math.min(startsSinceOverdueCheck + 1, STARTS_PER_OVERDUE_CHECK);
        capacity.onDispatched(key, now);
        queues.remove(key);
        key.polledAt = now;
        capacity.onStarted(key, now);
    }

    /** Removes the keys whose queued tasks were all withdrawn, and their demand: they may never be assessed again. */
    List<KeyState> removeIdle(long now) {
        List<KeyState> idle = queues.removeIdle();
        idle.forEach(key -> capacity.reassess(key, now));
        return idle;
    }

    /** The key to dispatch next if a permit is free; {@code null} if no queued key may take one. */
    @Nullable
    KeyState next(long now) {
        KeyState next;
        int before;
        do {
            before = moves;
            next = select(now);
        } while (next == null && moves != before); // a key that was moved may be the first of its new queue
        return next;
    }

    private @Nullable KeyState select(long now) {
        KeyState fast = first(KeyClass.FAST, now);
        if (fast != null && startsSinceOverdueCheck < STARTS_PER_OVERDUE_CHECK) {
            return fast;
        }
        KeyState other = firstOther(now);
        otherMayStart = other != null;
        if (fast == null || other == null) {
            return fast == null ? other : fast;
        }
        return isOverdue(other, now) || goesBefore(other, fast, now) ? other : fast;
    }

    /** Whether {@code other} is fast by now and would be ahead of {@code fast} in the fast queue. */
    private boolean goesBefore(KeyState other, KeyState fast, long now) {
        return isFast(other, now) && queues.isBefore(other, capacity.expectedTime(other, now), fast);
    }

    private boolean isFast(KeyState key, long now) {
        return capacity.classify(key, now) == KeyClass.FAST;
    }

    private boolean isOverdue(KeyState key, long now) {
        return key.running == 0 && now - key.queuedSince > targetNanos;
    }

    /** Of the keys in the other two queues that may take a permit, the one with the fewest running tasks. */
    private @Nullable KeyState firstOther(long now) {
        KeyState established = firstThatMayStart(KeyClass.ESTABLISHED, now);
        KeyState unproven = firstThatMayStart(KeyClass.UNPROVEN, now);
        if (established == null || unproven == null) {
            return established == null ? unproven : established;
        }
        boolean fast = isFast(established, now);
        if (fast != isFast(unproven, now)) {
            return fast ? established : unproven;
        }
        return unproven.running < established.running ? unproven : established;
    }

    private @Nullable KeyState firstThatMayStart(KeyClass keyClass, long now) {
        KeyState first = first(keyClass, now);
        return first != null && capacity.mayStart(first, capacity.classify(first, now), now) ? first : null;
    }

    /**
     * The first key of a queue, after keys that belong to another queue were moved there. A new key that became fast stays where it is and
     * is treated as fast. All new keys become fast, or stop being fast, at the same instant, possibly with every start. If each change moved
     * all of them, a start would take time in proportion to the number of queued keys.
     */
    private @Nullable KeyState first(KeyClass queue, long now) {
        for (KeyState first = queues.first(queue); first != null; first = queues.first(queue)) {
            KeyClass keyClass = capacity.classify(first, now);
            if (keyClass == queue || (keyClass == KeyClass.FAST && first.isNew())) {
                return first;
            }
            queues.remove(first);
            enqueueAs(first, keyClass, now);
            moves++;
        }
        return null;
    }
}
