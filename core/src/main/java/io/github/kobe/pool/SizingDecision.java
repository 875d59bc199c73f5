package io.github.kobe.pool;

import java.time.Instant;
import java.util.Objects;

/**
 * A change that {@link Sizing#UTILIZATION} made, and why.
 *
 * @param at when, by the wall clock
 * @param from how many workers the pool used before
 * @param to how many it uses from then on
 * @param why a text with the statistics that led to it
 */
public record SizingDecision(Instant at, int from, int to, String why) {

    /** Checks that nothing is {@code null}. */
    public SizingDecision {
        Objects.requireNonNull(at, "at");
        Objects.requireNonNull(why, "why");
    }

    @Override
    public String toString() {
        return at + ": " + from + " to " + to + ", " + why;
    }
}
