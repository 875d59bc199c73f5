package io.github.kobe.isolation;

import java.time.Duration;

/**
 * One key, as far as it is remembered.
 *
 * @param key the key
 * @param lane where its next task would belong: {@link Lane#FAST}, {@link Lane#SLOW} or {@link Lane#WHITE_LIST}
 * @param running tasks that run now
 * @param queued tasks that wait
 * @param ended tasks that have ended
 * @param typical how long one of its tasks takes, counting the age of those that run
 */
public record KeyStats(String key, Lane lane, int running, int queued, long completed, Duration typical) {}
