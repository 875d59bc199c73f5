/** The port to time, and its implementation: one timer thread for the whole JVM. */
@NullMarked
package io.github.kobe.internal.time;

import org.jspecify.annotations.NullMarked;
