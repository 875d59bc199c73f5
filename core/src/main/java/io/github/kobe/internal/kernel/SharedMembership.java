package io.github.kobe.internal.kernel;

/**
 * What a face says about a group and one shared limit.
 *
 * @param key the value that the group belongs to
 * @param max how many permits the value may have in use, as it was resolved; at least 1
 * @param weight the weight of the value at other limits, where its groups take turns as one; 0 if each of its groups has turns of its own
 * @param level of limits with a weight, the outermost level has the lowest number; those of the same level nest in the order in which they are listed
 * @param leased whether the limit is shared with other JVMs, see {@link PermitLeases}. The same for all groups of the value
 */
public record SharedMembership(SharedKey key, int max, int weight, int level, boolean leased) {

    /** Of a limit of this JVM alone. */
    public SharedMembership(SharedKey key, int max, int weight) {
        this(key, max, weight, 0, false);
    }
}
