package io.github.kobe.demo;

import io.github.kobe.console.ConsoleBuilder;

/** An executor under comparison. */
interface DemoExecutor extends AutoCloseable {

    void submit(Submission submission);

    /** Adds what a console can show of it; nothing by default. */
    default void addTo(ConsoleBuilder console) {}

    /** Stops everything that runs and waits until it has stopped, even if the calling thread is interrupted. */
    @Override
    void close();
}
