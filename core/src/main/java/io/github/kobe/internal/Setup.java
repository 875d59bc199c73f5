package io.github.kobe.internal;

/**
 * How a {@link Dispatcher} is to be.
 *
 * @param globalCap the most tickets that may run at once, or {@link Integer#MAX_VALUE} for no such cap
 * @param globalThreshold how many tickets may be here beyond {@code globalCap}
 * @param idleTtlNanos how long a quiet group is remembered; {@link Long#MAX_VALUE} for ever
 * @param recordsTimes whether waiting and running times are recorded
 * @param letsWait whether {@link Dispatcher#submitWaiting} is used
 * @param ageingNanos how long a ticket has to wait to make up for one step of priority, or {@link #NO_AGEING}
 * @param displaces whether tickets make room for others as a rule, {@link Dispatcher#submitDisplacing}: then each knows how long it was in line
 */
public record Setup(
        int globalCap,
        int globalThreshold,
        long idleTtlNanos,
        boolean recordsTimes,
        boolean letsWait,
        long ageingNanos,
        boolean displaces) {

    /** Waiting does not make up for priority. */
    public static final long NO_AGEING = Long.MAX_VALUE;

    /** Without ageing, and without displacing. */
    public Setup(int globalCap, int globalThreshold, long idleTtlNanos, boolean recordsTimes, boolean letsWait) {
        this(globalCap, globalThreshold, idleTtlNanos, recordsTimes, letsWait, NO_AGEING, false);
    }
}
