package io.github.kobe.isolation;

import java.time.Duration;

/** Something that the executor made up its mind about. */
public sealed interface Decision {

    /** When, since the executor was made. */
    Duration at();

    /**
     * A key's tasks were found to be slow, or not to be any more; its waiting tasks come along.
     *
     * @param at when
     * @param key the key
     * @param from {@link Lane#FAST} or {@link Lane#SLOW}
     * @param to the other one
     */
    record LaneChange(Duration at, String key, Lane from, Lane to) implements Decision {}

    /**
     * Another number of places is kept for quick work.
     *
     * @param at when
     * @param from how many were
     * @param to how many are
     */
    record ReserveChange(Duration at, int from, int to) implements Decision {}
}
