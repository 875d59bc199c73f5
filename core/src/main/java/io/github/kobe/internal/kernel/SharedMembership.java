package io.github.kobe.internal.kernel;

/**
 * What a face says about a group and one shared limit.
 *
 * @param key the value that the group belongs to
 * @param max how many permits the value may have in use, as it was resolved; at least 1
 * @param weight the weight of the value's groups when they compete at other limits; at least 1
 */
public record SharedMembership(SharedKey key, int max, int weight) {}
