/**
 * A pool of long-lived workers: {@link io.github.kobe.pool.WorkerPool}. For work that keeps a processor busy, for libraries that need threads
 * of their own, and for code that needs a bounded number of threads.
 */
@NullMarked
package io.github.kobe.pool;

import org.jspecify.annotations.NullMarked;
