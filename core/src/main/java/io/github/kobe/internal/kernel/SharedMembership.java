package io.github.kobe.internal.kernel;

/**
 * What a face says about a group and one shared limit.
 *
 * @param key the value that the group belongs to
 * @param max how many permits the value may have in use, as it was resolved; at least 1
 * @param weight the weight of the value at other limits, where its groups take turns as one; 0 if each of its groups has turns of its own
 */
public record SharedMembership(SharedKey key, int max, int weight) {}
