package io.github.kobe.isolation;

import java.time.Duration;

/**
 * Statistics of one key.
 *
 * @param key the key
 * @param lane the normal lane of its next task: {@link Lane#FAST}, {@link Lane#SLOW} or {@link Lane#WHITE_LIST}
 * @param running the number of running tasks
 * @param queued the number of queued tasks
 * @param completed the number of tasks that have completed
 * @param typical how long a task takes: the mean time of completed tasks, or the mean age of running tasks if that is more
 */
public record KeyStats(String key, Lane lane, int running, int queued, long completed, Duration typical) {}
