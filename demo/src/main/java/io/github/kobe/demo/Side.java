package io.github.kobe.demo;

/** What work is played on. */
interface Side extends AutoCloseable {

    void submit(Arrival arrival);

    /** Stops all that runs, and waits until it has, also if the calling thread is interrupted. */
    @Override
    void close();
}
