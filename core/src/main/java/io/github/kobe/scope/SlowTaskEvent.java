package io.github.kobe.scope;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A task took long.
 *
 * @param info which task
 * @param state its outcome
 * @param duration how long it took, from its first start
 * @param threshold what counts as long
 * @param error what it failed with; {@code null} unless it failed
 */
public record SlowTaskEvent(
        TaskInfo info,
        Task.State state,
        Duration duration,
        Duration threshold,
        @Nullable Throwable error) {}
