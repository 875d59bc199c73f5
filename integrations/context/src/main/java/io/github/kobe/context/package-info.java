/** Carriers of thread-bound context for tasks. */
@NullMarked
package io.github.kobe.context;

import org.jspecify.annotations.NullMarked;
