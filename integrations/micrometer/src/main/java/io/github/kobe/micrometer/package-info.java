/** Meters and observations of group-concurrency for Micrometer. */
@NullMarked
package io.github.kobe.micrometer;

import org.jspecify.annotations.NullMarked;
