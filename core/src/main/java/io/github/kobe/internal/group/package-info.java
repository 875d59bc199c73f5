/**
 * What the public executors of groups share: admission control, tasks and their handles, listeners, statistics, limits that change at run
 * time, permits, batches and the executor service view. Together with {@code io.github.kobe} it is one layer: the two packages use each other.
 */
@NullMarked
package io.github.kobe.internal.group;

import org.jspecify.annotations.NullMarked;
