package io.github.kobe;

import java.util.Locale;

/** Why a task was {@link TaskStatus#REJECTED}. */
public enum RejectionReason {
    /** The group's queue was full. See {@link GroupPolicy.Builder#defaultQueueThresholdPerGroup}. */
    GROUP_QUEUE_FULL,
    /**
     * The queue of the executor was full. See {@link GroupPolicy.Builder#globalQueueThreshold}; of a pool or an isolation executor, its queue
     * capacity.
     */
    GLOBAL_QUEUE_FULL,
    /**
     * The task was queued for its {@link TaskOptions#maxQueueTime} and had not started, or a caller did not get a permit within the time
     * that it gave.
     */
    EXPIRED,
    /** The executor was shut down, or the {@link GroupExecutor#asExecutorService executor service} that the task was submitted to. */
    SHUT_DOWN,
    /** The group, or a shared limit of it, was paused, and the queue of the group was full. */
    PAUSED,
    /**
     * The group was not known, and the executor knew as many groups as it may. See {@link GroupPolicy.Builder#maxGroups}. Under
     * {@link RejectionPolicy#BLOCK} the submitter does not wait.
     */
    TOO_MANY_GROUPS,
    /**
     * The {@link TaskOptions#cost} of the task is higher than one of its limits, so it could never start. Under {@link RejectionPolicy#BLOCK} the submitter
     * does not wait.
     */
    TOO_COSTLY;

    private final String text = name().toLowerCase(Locale.ROOT).replace('_', ' ');

    /** Returns the name for messages, such as "group queue full". */
    String text() {
        return text;
    }
}
