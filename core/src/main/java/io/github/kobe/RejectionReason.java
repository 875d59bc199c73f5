package io.github.kobe;

import java.util.Locale;

/** Why a task ended {@link TaskStatus#REJECTED}. */
public enum RejectionReason {
    /** As many tasks waited for the group's limits as may. */
    GROUP_QUEUE_FULL,
    /** As many tasks were in the executor beyond the global limit as may. */
    GLOBAL_QUEUE_FULL,
    /** It waited for its {@link TaskOptions#maxQueueTime} and had not started. */
    EXPIRED,
    /** The executor, or the view of it that the task was given to, takes no more tasks. */
    SHUT_DOWN,
    /** Its group was paused, and there was no room to wait for the end of that. */
    PAUSED;

    private final String text = name().toLowerCase(Locale.ROOT).replace('_', ' ');

    /** For people, such as "group queue full". */
    String text() {
        return text;
    }
}
