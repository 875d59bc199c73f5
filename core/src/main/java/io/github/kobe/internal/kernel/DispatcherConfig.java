package io.github.kobe.internal.kernel;

/**
 * The settings of a {@link Dispatcher}. The global limit and the global queue threshold can change; these are their initial values.
 *
 * @param globalLimit how many tasks may run at once; {@link Integer#MAX_VALUE} for no limit
 * @param globalQueueThreshold how many tasks may be queued beyond the free global permits
 * @param idleTtlNanos how long an idle group is kept; {@link Long#MAX_VALUE} for ever
 * @param recordsTimes whether queue times and run times are recorded
 * @param blocksSubmitters whether {@link Dispatcher#submitBlocking} is used
 * @param ageingNanos how long a task must be queued to make up for one step of priority, or {@link #NO_AGEING}
 * @param sweepCapacity how many tasks of a group may be queued, and how many may run or await a retry, for a {@link DeadlineMonitor} to
 *     check them all in one sweep; beyond that, each task with a time limit has a timer entry
 * @param maxGroups how many groups may be registered; {@link Integer#MAX_VALUE} for no bound
 */
public record DispatcherConfig(
        int globalLimit,
        int globalQueueThreshold,
        long idleTtlNanos,
        boolean recordsTimes,
        boolean blocksSubmitters,
        long ageingNanos,
        int sweepCapacity,
        int maxGroups) {

    /** Queue time does not make up for priority. */
    public static final long NO_AGEING = Long.MAX_VALUE;

    /** A sweep of so many tasks takes some microseconds. */
    public static final int DEFAULT_SWEEP_CAPACITY = 1_000;

    /** Without a bound on groups. */
    public DispatcherConfig(
            int globalLimit,
            int globalQueueThreshold,
            long idleTtlNanos,
            boolean recordsTimes,
            boolean blocksSubmitters,
            long ageingNanos,
            int sweepCapacity) {
        this(
                globalLimit,
                globalQueueThreshold,
                idleTtlNanos,
                recordsTimes,
                blocksSubmitters,
                ageingNanos,
                sweepCapacity,
                Integer.MAX_VALUE);
    }

    /** Without ageing and without a bound on groups. */
    public DispatcherConfig(
            int globalLimit,
            int globalQueueThreshold,
            long idleTtlNanos,
            boolean recordsTimes,
            boolean blocksSubmitters) {
        this(
                globalLimit,
                globalQueueThreshold,
                idleTtlNanos,
                recordsTimes,
                blocksSubmitters,
                NO_AGEING,
                DEFAULT_SWEEP_CAPACITY);
    }
}
