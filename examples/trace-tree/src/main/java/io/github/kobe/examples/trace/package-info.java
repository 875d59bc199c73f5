/** Prints the trace of a request as a tree. */
@NullMarked
package io.github.kobe.examples.trace;

import org.jspecify.annotations.NullMarked;
