/**
 * Runs the tasks of many groups concurrently, each group under its own limits.
 *
 * <p>Start with {@link io.github.kobe.GroupExecutor}. A {@link io.github.kobe.GroupPolicy} holds the limits. A
 * {@link io.github.kobe.TaskHandle} represents a submitted task, and a {@link io.github.kobe.GroupResult} its outcome.
 *
 * <p>No parameter and no result is {@code null} unless it is annotated {@code @Nullable}. If an argument is {@code null}, the method
 * throws a {@link java.lang.NullPointerException} that names the parameter.
 */
@NullMarked
package io.github.kobe;

import org.jspecify.annotations.NullMarked;
