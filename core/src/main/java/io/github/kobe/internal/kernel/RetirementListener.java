package io.github.kobe.internal.kernel;

import java.util.Map;

/** Is given what retired groups have counted. The kernel calls it only while it {@link #isActive}. */
public interface RetirementListener {

    /** Whether the counts of groups that retire now are wanted. */
    boolean isActive();

    /** Whether {@code counts} has an outcome for each task that it counts as submitted. */
    boolean isComplete(long[] counts);

    /**
     * What a retired group has counted, and was not passed here before. Called under a lock: short, and calls no user code.
     *
     * @param counts the outcomes of its tasks, by slot; complete
     * @param byTag how many tasks completed, by tag
     * @param first whether this is the first call for the group
     */
    void retired(Group group, long[] counts, Map<String, Long> byTag, boolean first);

    /** Passes on what {@link #retired} was given. Called after it, without a lock. */
    void deliver();

    /** After a close: waits until all is passed on, or until {@code nanos} after {@code start}. */
    void awaitDelivered(long start, long nanos);
}
