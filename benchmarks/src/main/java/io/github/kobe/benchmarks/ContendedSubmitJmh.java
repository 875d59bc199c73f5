package io.github.kobe.benchmarks;

import org.openjdk.jmh.annotations.Threads;

/** Two threads submit at once, to the same group or each to its own. */
@Threads(2)
public class ContendedSubmitJmh extends SubmitWork {}
