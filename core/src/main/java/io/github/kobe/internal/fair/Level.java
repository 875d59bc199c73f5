package io.github.kobe.internal.fair;

/**
 * What groups share that take turns together with others: the value of a shared limit, such as a tenant.
 *
 * @param value equal for all groups of the level
 * @param weight the weight of the value relative to others; at least 1
 */
public record Level(Object value, int weight) {}
