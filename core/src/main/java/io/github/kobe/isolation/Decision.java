package io.github.kobe.isolation;

import java.time.Duration;

/** A decision of the executor. */
public sealed interface Decision {

    /** When, as the time since the executor was created. */
    Duration at();

    /**
     * A key became slow, or is not slow any more. Its queued tasks change with it. A key whose running tasks do not complete becomes slow while
     * they run, at most a second after {@link IsolationPolicy#slowThreshold}.
     *
     * @param at when
     * @param key the key
     * @param from {@link Lane#FAST} or {@link Lane#SLOW}
     * @param to the other one
     */
    record LaneChange(Duration at, String key, Lane from, Lane to) implements Decision {}

    /**
     * The number of permits that are reserved for fast keys changed.
     *
     * @param at when
     * @param from the previous number
     * @param to the new number
     */
    record ReserveChange(Duration at, int from, int to) implements Decision {}
}
