package io.github.kobe.internal.kernel;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Counts outcomes of tasks, in slots whose meaning the face defines, and by the tags of tasks.
 *
 * <p>The counts of a group that retires move to those of the dispatcher. A thread that counts adds to the counter first, and then reads
 * whether the group has retired; if so, it moves the counts once more. Moving sets each counter to 0 in the step that reads it, so no
 * count moves twice.
 */
public final class OutcomeCounters {

    /** How many slots there are. */
    static final int SLOTS = 16;

    /** The slot of the most common outcome. A group counts it in {@link HotFields}. */
    public static final int COMMON_OUTCOME = 0;

    /** The slot of the admitted tasks. Likewise. */
    public static final int ADMITTED = SLOTS - 1;

    /** Further tags are counted together. */
    private static final int MAX_TAGS = 64;

    private static final String OTHER_TAGS = "(other tags)";

    /** Created for the first count. Of many groups, most have tasks with the most common outcome only. */
    private volatile @Nullable AtomicLongArray counts; // written under the monitor, once

    private volatile @Nullable Map<String, TagCounter> tags; // written under the monitor, once

    /** The counter that was used last, mostly the next one too. A thread that reads an old value looks its counter up. */
    private @Nullable TagCounter lastUsed;

    private static final class TagCounter {
        final String tag;
        final AtomicLong number = new AtomicLong();

        TagCounter(String tag) {
            this.tag = tag;
        }
    }

    void add(int slot, long number) {
        AtomicLongArray known = counts;
        (known == null ? createCounts() : known).getAndAdd(slot, number);
    }

    private synchronized AtomicLongArray createCounts() {
        AtomicLongArray known = counts;
        if (known == null) {
            known = new AtomicLongArray(SLOTS);
            counts = known;
        }
        return known;
    }

    void addTag(String tag, int number) {
        TagCounter counter = lastUsed;
        if (counter == null || !counter.tag.equals(tag)) {
            counter = counterOf(tag);
            lastUsed = counter;
        }
        counter.number.getAndAdd(number);
    }

    private TagCounter counterOf(String tag) {
        Map<String, TagCounter> known = tags();
        TagCounter counter = known.get(tag);
        return counter == null
                ? known.computeIfAbsent(known.size() < MAX_TAGS ? tag : OTHER_TAGS, TagCounter::new)
                : counter;
    }

    private Map<String, TagCounter> tags() {
        Map<String, TagCounter> known = tags;
        return known == null ? createTags() : known;
    }

    private synchronized Map<String, TagCounter> createTags() {
        Map<String, TagCounter> known = tags;
        if (known == null) {
            known = new ConcurrentHashMap<>();
            tags = known;
        }
        return known;
    }

    /** Moves all counts to {@code other}, except those by tag, which are of the group alone. */
    void moveTo(OutcomeCounters other) {
        AtomicLongArray known = counts;
        for (int slot = 0; known != null && slot < SLOTS; slot++) {
            long moved = known.getAndSet(slot, 0);
            if (moved != 0) {
                other.add(slot, moved);
            }
        }
    }

    long count(int slot) {
        AtomicLongArray known = counts;
        return known == null ? 0 : known.get(slot);
    }

    /** Adds the counts to {@code sums}. */
    void addTo(long[] sums) {
        AtomicLongArray known = counts;
        for (int slot = 0; known != null && slot < SLOTS; slot++) {
            sums[slot] += known.get(slot);
        }
    }

    /** Counts by tag. From then on they begin at 0 again. */
    Map<String, Long> takeByTag() {
        Map<String, TagCounter> known = tags;
        if (known == null) {
            return Map.of();
        }
        Map<String, Long> taken = new TreeMap<>();
        known.forEach((tag, counter) -> taken.put(tag, counter.number.getAndSet(0)));
        return taken;
    }

    /** Counts by tag. */
    Map<String, Long> byTag() {
        Map<String, TagCounter> known = tags;
        if (known == null) {
            return Map.of();
        }
        Map<String, Long> copy = new TreeMap<>();
        known.forEach((tag, counter) -> copy.put(tag, counter.number.get()));
        return copy;
    }
}
