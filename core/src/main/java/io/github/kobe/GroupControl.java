package io.github.kobe;

import java.util.List;
import java.util.Map;

/**
 * The settings of a {@link GroupExecutor} that can be changed while tasks run. An operations console needs only this interface.
 *
 * <p>Safe for use by many threads. If two threads change the same setting, the later change wins. A change is in force when its
 * method returns, for queued tasks as well as for later submissions. If a limit is raised, queued tasks start without another
 * submission. If a limit is lowered, running and queued tasks are not disturbed, and no task starts until enough running tasks have
 * completed. So at no instant does a task start beyond the limit of that moment.
 *
 * <p>A setting for a group overrides the policy and the defaults. It can be made before the group is first used. It stays in force when the group is idle,
 * after {@link GroupExecutor#evictGroup} and after {@link GroupExecutor#shutdownGroup}, until {@link #resetGroup}. The executor therefore
 * remembers every key with a setting, up to 100,000 keys. A setting for one more throws {@link IllegalStateException}. After the executor is shut down, these methods do nothing.
 *
 * <p>If a value is out of range, the method throws {@link IllegalArgumentException} with the name and the value, and changes nothing.
 */
public interface GroupControl {

    /**
     * Sets how many tasks of the group may run at once.
     *
     * @param groupKey the group
     * @param n at least 1
     */
    void setMaxConcurrency(String groupKey, int n);

    /**
     * Sets a second limit on how many tasks of the group may run at once. The smaller of the two limits applies.
     *
     * @param groupKey the group
     * @param n at least 1; {@link Integer#MAX_VALUE} means no limit
     */
    void setMaxInFlight(String groupKey, int n);

    /**
     * Sets how many tasks may be queued for the group's own limits. If it is lowered, tasks that are already queued stay queued.
     *
     * @param groupKey the group
     * @param n at least 0; {@link Integer#MAX_VALUE} means no limit
     */
    void setQueueThreshold(String groupKey, int n);

    /**
     * Sets the group's weight when it competes with other groups for the global limit or a {@link SharedLimit}.
     *
     * @param groupKey the group
     * @param n at least 1
     */
    void setWeight(String groupKey, int n);

    /**
     * Sets how many tasks of a group may run at once, for groups without a setting of their own: none here, none in
     * {@link GroupPolicy.Builder#perGroupMaxConcurrency}, and no answer of a resolver. It applies to the groups that are known now and to
     * later ones.
     *
     * @param n at least 1
     */
    void setDefaultMaxConcurrency(int n);

    /** Returns the value of {@link #setDefaultMaxConcurrency}; at first that of {@link GroupPolicy#defaultMaxConcurrencyPerGroup}. */
    int defaultMaxConcurrency();

    /**
     * Sets how many tasks of a group may be queued for the group's own limits, for groups without a setting of their own, as
     * {@link #setDefaultMaxConcurrency} does. If it is lowered, tasks that are already queued stay queued.
     *
     * @param n at least 0; {@link Integer#MAX_VALUE} means no limit
     */
    void setDefaultQueueThreshold(int n);

    /** Returns the value of {@link #setDefaultQueueThreshold}; at first that of {@link GroupPolicy#defaultQueueThresholdPerGroup}. */
    int defaultQueueThreshold();

    /**
     * Sets how many tasks may be in the executor beyond the global limit. If it is lowered, tasks that are already queued stay queued.
     * Without a global limit it has no effect until one is set.
     *
     * @param n at least 0; {@link Integer#MAX_VALUE} means no limit
     */
    void setGlobalQueueThreshold(int n);

    /** Returns the value of {@link #setGlobalQueueThreshold}; at first that of {@link GroupPolicy#globalQueueThreshold}. */
    int globalQueueThreshold();

    /**
     * Sets how many tasks of all groups together may run at once.
     *
     * @param n at least 1; {@link Integer#MAX_VALUE} means no limit
     */
    void setGlobalMaxInFlight(int n);

    /**
     * Starts no more tasks of the group until {@link #resumeGroup}. Running tasks continue. Submitted tasks are queued; if the queue is
     * full, they are rejected with {@link RejectionReason#PAUSED}. Does nothing if the group is already paused.
     */
    void pauseGroup(String groupKey);

    /** Undoes {@link #pauseGroup} and starts queued tasks. Does nothing if the group is not paused. */
    void resumeGroup(String groupKey);

    /** Removes every setting that was made here for the group, also a pause. The policy applies again, as at the group's first use. */
    void resetGroup(String groupKey);

    /**
     * Sets how many permits a value of a {@link SharedLimit} may have in use. It overrides the policy, also if no group of the value is known now, until
     * {@link #resetSharedLimit}. The executor remembers up to 100,000 values with a setting. If the limit is {@link SharedLimit#acrossFleet}, this is what this executor states as
     * the limit, as for groups; {@code FleetControl.setSharedLimit} sets it for the whole fleet.
     *
     * @param name the name of the shared limit
     * @param value the value, such as a tenant
     * @param max at least 1; {@link Integer#MAX_VALUE} means no limit
     * @throws IllegalArgumentException if the policy has no shared limit of that name
     */
    void setSharedLimit(String name, String value, int max);

    /**
     * Starts no more tasks, in this executor, of the groups that belong to a value of a {@link SharedLimit}, until {@link #resumeSharedLimit}. Running tasks continue. Submitted
     * tasks are queued; if the queue of their group is full, they are rejected with {@link RejectionReason#PAUSED}. Does nothing if it is already paused.
     *
     * @throws IllegalArgumentException if the policy has no shared limit of that name
     */
    void pauseSharedLimit(String name, String value);

    /**
     * Undoes {@link #pauseSharedLimit} and starts queued tasks. Does nothing if it is not paused.
     *
     * @throws IllegalArgumentException if the policy has no shared limit of that name
     */
    void resumeSharedLimit(String name, String value);

    /**
     * Removes the settings that were made here for a value of a {@link SharedLimit}, also a pause. The policy applies again.
     *
     * @throws IllegalArgumentException if the policy has no shared limit of that name
     */
    void resetSharedLimit(String name, String value);

    /**
     * Asks the policy again for the limits of all values of a {@link SharedLimit} that groups belong to now, because the answers of
     * {@link SharedLimit#maxResolver(java.util.function.ToIntFunction)} have changed. Settings that were made here stay. A value whose first group is
     * created at this moment may have been asked before.
     *
     * @param name the name of the shared limit
     * @throws IllegalArgumentException if the policy has no shared limit of that name
     */
    void refreshSharedLimit(String name);

    /**
     * Returns the settings that were made here, by group. Groups without a setting are not in it; a group need not be in use to be in it. A snapshot,
     * which cannot be changed.
     */
    Map<String, LiveSettings> liveSettings();

    /**
     * Returns the settings of shared limits that were made here, in no particular order. Values without a setting are not in it; no group need belong to a value
     * that is in it. A snapshot, which cannot be changed.
     */
    List<LiveSharedLimit> liveSharedLimits();
}
