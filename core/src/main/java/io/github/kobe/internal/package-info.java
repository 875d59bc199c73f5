/**
 * The kernel: decides who runs next, and knows no face.
 *
 * <p>A {@link io.github.kobe.internal.Ticket} is one piece of work. It asks its {@link io.github.kobe.internal.Group} for a
 * place; the group hands it to the {@link io.github.kobe.internal.Runner} or keeps it in line. Where a cap spans all groups,
 * the {@link io.github.kobe.internal.GlobalGate} counts the places and the {@link io.github.kobe.internal.ReadyQueue} says
 * which group is next. {@code docs/design/kernel.md} lists the states, the transitions and the races.
 */
@NullMarked
package io.github.kobe.internal;

import org.jspecify.annotations.NullMarked;
