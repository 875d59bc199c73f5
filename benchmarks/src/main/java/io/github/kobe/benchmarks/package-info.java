/** Measurements: {@code Figures} for what the project promises, classes named {@code *Jmh} for the small print. */
@NullMarked
package io.github.kobe.benchmarks;

import org.jspecify.annotations.NullMarked;
