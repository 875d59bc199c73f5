package io.github.kobe.demo;

import java.util.function.Function;

/**
 * Creates one of the two executors that a scenario compares.
 *
 * @param title the name of the executor in the output
 * @param open creates an executor that reports to a recorder
 */
record ExecutorFactory(String title, Function<RunRecorder, DemoExecutor> open) {}
