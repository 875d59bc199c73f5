/**
 * Structured concurrency: a {@link io.github.kobe.scope.ThreadScope} owns its tasks, none of them outlives it, and every failure,
 * timeout and cancellation has one place to show up.
 */
@NullMarked
package io.github.kobe.scope;

import org.jspecify.annotations.NullMarked;
