/**
 * Structured concurrency: a {@link io.github.kobe.scope.ThreadScope} owns its tasks, none of them outlives it, and the scope
 * reports every failure, timeout and cancellation.
 */
@NullMarked
package io.github.kobe.scope;

import org.jspecify.annotations.NullMarked;
