package io.github.kobe.internal.kernel;

/**
 * How a {@link Dispatcher} is to be.
 *
 * @param globalLimit the most tickets that may run at once, or {@link Integer#MAX_VALUE} for no such cap
 * @param globalQueueThreshold how many tickets may be here beyond {@code globalCap}
 * @param idleTtlNanos how long a quiet group is remembered; {@link Long#MAX_VALUE} for ever
 * @param recordsTimes whether waiting and running times are recorded
 * @param blocksSubmitters whether {@link Dispatcher#submitBlocking} is used
 * @param ageingNanos how long a ticket has to wait to make up for one step of priority, or {@link #NO_AGEING}
 * @param displaces whether tickets make room for others as a rule, {@link Dispatcher#submitDisplacing}: then each knows how long it was in line
 * @param sweepCapacity how many tickets of a group may wait, and how many may run or be between two attempts, for a {@link DeadlineMonitor} to look at them all now and then;
 *     beyond that, each of those that may not for ever asks the timer itself
 */
public record DispatcherConfig(
        int globalLimit,
        int globalQueueThreshold,
        long idleTtlNanos,
        boolean recordsTimes,
        boolean blocksSubmitters,
        long ageingNanos,
        boolean displaces,
        int sweepCapacity) {

    /** Waiting does not make up for priority. */
    public static final long NO_AGEING = Long.MAX_VALUE;

    /** To look at so many takes some microseconds. */
    public static final int DEFAULT_SWEEP_CAPACITY = 1_000;

    /** Without ageing, and without displacing. */
    public DispatcherConfig(
            int globalCap, int globalThreshold, long idleTtlNanos, boolean recordsTimes, boolean letsWait) {
        this(
                globalCap,
                globalThreshold,
                idleTtlNanos,
                recordsTimes,
                letsWait,
                NO_AGEING,
                false,
                DEFAULT_SWEEP_CAPACITY);
    }
}
