package io.github.kobe.internal.kernel;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Counts what became of tickets, in slots that mean what the face says, and by the tags that tickets bear.
 *
 * <p>The counts of a group that retires go over to those of the dispatcher. A ticket may be counted after that; whoever counts
 * looks afterwards whether the group has retired, and if so moves the counts once more. Moving takes what it moves, so nothing is
 * counted twice, whoever moves.
 */
public final class OutcomeCounters {

    /** How many slots there are. */
    static final int SLOTS = 16;

    /** The slot of the end that most tickets come to; a group counts it beside its word. */
    public static final int COMMON_OUTCOME = 0;

    /** The slot of the tickets that were let in; likewise. */
    public static final int ADMITTED = SLOTS - 1;

    /** More tags than this are counted together. */
    private static final int MOST_TAGS = 64;

    private static final String OTHER_TAGS = "(other tags)";

    /** Made when there is something to count: of a great many groups most never come to anything out of the ordinary. */
    private volatile @Nullable AtomicLongArray counts; // written under the monitor, once

    private volatile @Nullable Map<String, Tagged> tags; // written under the monitor, once

    /** The one that was counted last, which mostly is the one that is counted next. Who sees an old one looks it up. */
    private @Nullable Tagged recent;

    private static final class Tagged {
        final String tag;
        final AtomicLong number = new AtomicLong();

        Tagged(String tag) {
            this.tag = tag;
        }
    }

    void add(int slot, long number) {
        AtomicLongArray known = counts;
        (known == null ? makeCounts() : known).getAndAdd(slot, number);
    }

    private synchronized AtomicLongArray makeCounts() {
        AtomicLongArray known = counts;
        if (known == null) {
            known = new AtomicLongArray(SLOTS);
            counts = known;
        }
        return known;
    }

    void addTag(String tag, int number) {
        Tagged tagged = recent;
        if (tagged == null || !tagged.tag.equals(tag)) {
            tagged = tagged(tag);
            recent = tagged;
        }
        tagged.number.getAndAdd(number);
    }

    private Tagged tagged(String tag) {
        Map<String, Tagged> known = tags();
        Tagged tagged = known.get(tag);
        return tagged == null
                ? known.computeIfAbsent(known.size() < MOST_TAGS ? tag : OTHER_TAGS, Tagged::new)
                : tagged;
    }

    private Map<String, Tagged> tags() {
        Map<String, Tagged> known = tags;
        return known == null ? makeTags() : known;
    }

    private synchronized Map<String, Tagged> makeTags() {
        Map<String, Tagged> known = tags;
        if (known == null) {
            known = new ConcurrentHashMap<>();
            tags = known;
        }
        return known;
    }

    /** Moves all counts over to {@code other}, but for the tags, which are the group's own business. */
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

    /** Counts by tag. */
    Map<String, Long> byTag() {
        Map<String, Long> copy = new TreeMap<>();
        Map<String, Tagged> known = tags;
        if (known != null) {
            known.forEach((tag, tagged) -> copy.put(tag, tagged.number.get()));
        }
        return copy;
    }
}
