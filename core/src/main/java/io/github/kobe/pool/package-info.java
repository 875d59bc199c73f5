/**
 * A pool of long-lived workers: {@link io.github.kobe.pool.WorkerPool}. For work that keeps a processor busy, for libraries that want
 * threads of their own, for code that must have a bounded set of them.
 */
@NullMarked
package io.github.kobe.pool;

import org.jspecify.annotations.NullMarked;
