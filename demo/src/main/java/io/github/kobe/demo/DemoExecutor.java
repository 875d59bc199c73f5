package io.github.kobe.demo;

/** An executor under comparison. */
interface DemoExecutor extends AutoCloseable {

    void submit(Submission submission);

    /** Stops everything that runs and waits until it has stopped, even if the calling thread is interrupted. */
    @Override
    void close();
}
