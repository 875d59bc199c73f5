/** Benchmarks: {@code Benchmarks} measures what the project promises, classes named {@code *Jmh} are JMH benchmarks. */
@NullMarked
package io.github.kobe.benchmarks;

import org.jspecify.annotations.NullMarked;
