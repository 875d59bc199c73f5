/**
 * The kernel: admission, queues, tasks and dispatch. It knows no face.
 *
 * <p>A {@link io.github.kobe.internal.kernel.KernelTask} is one piece of work. It asks its
 * {@link io.github.kobe.internal.kernel.Group} for a permit. The group hands the task to the
 * {@link io.github.kobe.internal.kernel.TaskRunner} or queues it. Under a global limit, the
 * {@link io.github.kobe.internal.kernel.Limiter} counts permits over all groups, and the
 * {@code ReadyQueue} says which group is next. {@code docs/design/kernel.md} lists the states, the transitions and the races.
 */
@NullMarked
package io.github.kobe.internal.kernel;

import org.jspecify.annotations.NullMarked;
