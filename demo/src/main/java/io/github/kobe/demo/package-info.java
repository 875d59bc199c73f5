/** A tour of the library in a terminal: groups with different limits compete, and a table shows who runs and who waits. */
@NullMarked
package io.github.kobe.demo;

import org.jspecify.annotations.NullMarked;
