package io.github.kobe.internal;

/**
 * How a {@link Dispatcher} is to be.
 *
 * @param globalCap the most tickets that may run at once, or {@link Integer#MAX_VALUE} for no such cap
 * @param globalThreshold how many tickets may be here beyond {@code globalCap}
 * @param idleTtlNanos how long a quiet group is remembered; {@link Long#MAX_VALUE} for ever
 * @param recordsTimes whether waiting and running times are recorded
 * @param letsWait whether {@link Dispatcher#submitWaiting} is used
 */
public record Setup(int globalCap, int globalThreshold, long idleTtlNanos, boolean recordsTimes, boolean letsWait) {}
