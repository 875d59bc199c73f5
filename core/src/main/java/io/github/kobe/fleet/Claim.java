package io.github.kobe.fleet;

import io.github.kobe.internal.util.Checks;
import java.util.Objects;

/**
 * What a node states about one group: absolute numbers, which replace what it stated before. Immutable.
 *
 * @param group the name of the group
 * @param limit the limit of the group in the node's policy, for the whole fleet
 * @param version the version of the node's configuration. Of the limits that nodes state, the ones with the highest version count, and of these
 *     the lowest
 * @param known the permits that the node has been granted, as far as it has heard. If it was granted more, the store tells it again
 * @param keep the permits that the node holds from now on. It starts no task beyond them before it has an answer
 * @param used the permits that are in use. If they are more than {@code keep}, the rest is debt
 * @param wanted the permits that the node could use now, those in use included
 * @param least the permits, those in use included, without which no task can start, because the next one costs several; 0 if it costs one
 */
public record Claim(String group, int limit, long version, int known, int keep, int used, int wanted, int least) {

    /** @throws IllegalArgumentException if a number is negative, or the limit is not positive */
    public Claim {
        Objects.requireNonNull(group, "group");
        Checks.atLeast(1, "limit", limit);
        Checks.check(version >= 0, "version", "at least 0", version);
        Checks.atLeast(0, "keep", keep);
        Checks.atLeast(keep, "known", known);
        Checks.atLeast(0, "used", used);
        Checks.atLeast(0, "wanted", wanted);
        Checks.atLeast(0, "least", least);
    }
}
