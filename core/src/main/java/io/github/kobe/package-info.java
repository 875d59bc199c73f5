/**
 * Runs the tasks of many groups side by side, each group under limits of its own.
 *
 * <p>Start with {@link io.github.kobe.GroupExecutor}. A {@link io.github.kobe.GroupPolicy} says what each group may do; a
 * {@link io.github.kobe.TaskHandle} stands for a submitted task; a {@link io.github.kobe.GroupResult} says how it ended.
 * Unless marked otherwise, no parameter and no result is {@code null}, and a {@code null} argument is met with a
 * {@link java.lang.NullPointerException} that names the parameter.
 */
@NullMarked
package io.github.kobe;

import org.jspecify.annotations.NullMarked;
