package io.github.kobe;

/**
 * The settings that can be changed while tasks run: what a console needs to hold of a {@link GroupExecutor}.
 *
 * <p>Safe for use by many threads; of two changes of one setting the later one holds. A change is in force when its method
 * returns, for what waits as well as for what is submitted later. Raising a limit starts tasks that wait, without another
 * submit. After lowering one nothing starts until enough of what runs has ended, so that at no instant more starts than the
 * limit of that moment allows; nothing that runs or waits is disturbed.
 *
 * <p>A setting for a key wins over the policy. It need not wait for the group to be used, and it outlasts the group's idling,
 * {@link GroupExecutor#evictGroup} and {@link GroupExecutor#shutdownGroup}, until {@link #resetGroup}. So each key that was ever
 * set is remembered. After a shutdown of the executor all of this does nothing.
 *
 * <p>A value out of range is met with an {@link IllegalArgumentException} that has its name and its value, and changes nothing.
 */
public interface GroupControl {

    /**
     * How many tasks of the group may run at once.
     *
     * @param groupKey the group
     * @param n at least 1
     */
    void setMaxConcurrency(String groupKey, int n);

    /**
     * A second bound on what the group runs at once; the smaller of the two counts.
     *
     * @param groupKey the group
     * @param n at least 1; {@link Integer#MAX_VALUE} is none
     */
    void setMaxInFlight(String groupKey, int n);

    /**
     * How many tasks may wait for the group's limits. Lowering it throws nothing out that waits already.
     *
     * @param groupKey the group
     * @param n at least 0; {@link Integer#MAX_VALUE} is no limit
     */
    void setQueueThreshold(String groupKey, int n);

    /**
     * The group's share when it competes with others for the global limit.
     *
     * @param groupKey the group
     * @param n at least 1
     */
    void setWeight(String groupKey, int n);

    /**
     * How many tasks of all groups together may run at once.
     *
     * @param n at least 1; {@link Integer#MAX_VALUE} is no limit
     */
    void setGlobalMaxInFlight(int n);

    /**
     * Starts no more tasks of the group until {@link #resumeGroup}. What runs goes on; what is submitted waits as far as the
     * queue has room, and is else rejected for {@link RejectionReason#PAUSED}. Does nothing if it is paused already.
     */
    void pauseGroup(String groupKey);

    /** Takes {@link #pauseGroup} back, and starts what waits. Does nothing if the group is not paused. */
    void resumeGroup(String groupKey);

    /** Forgets all that was set for the group here, a pause included; the policy holds again, as at the group's first use. */
    void resetGroup(String groupKey);
}
