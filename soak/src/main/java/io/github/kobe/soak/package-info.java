/** Runs all four faces of the library together under random load and checks every promise while they run. */
@NullMarked
package io.github.kobe.soak;

import org.jspecify.annotations.NullMarked;
