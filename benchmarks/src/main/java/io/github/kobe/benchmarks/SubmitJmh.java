package io.github.kobe.benchmarks;

import org.openjdk.jmh.annotations.Threads;

/** One thread submits, so nobody is in its way. */
@Threads(1)
public class SubmitJmh extends SubmitWork {}
