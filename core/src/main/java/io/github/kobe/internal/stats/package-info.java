/** Histograms of durations. */
@NullMarked
package io.github.kobe.internal.stats;

import org.jspecify.annotations.NullMarked;
