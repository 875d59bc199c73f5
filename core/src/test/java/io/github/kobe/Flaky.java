package io.github.kobe;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

/** A task that throws a given number of times before it succeeds, and records its attempts. */
public final class Flaky implements Callable<String> {

    public final List<Thread> threads = new CopyOnWriteArrayList<>();
    public final List<Exception> thrown = new CopyOnWriteArrayList<>();
    private final int failures;
    private final Callable<String> then;

    private Flaky(int failures, Callable<String> then) {
        this.failures = failures;
        this.then = then;
    }

    public static Flaky failing(int times) {
        return new Flaky(times, () -> "succeeded");
    }

    public static Flaky failingThen(int times, Callable<String> then) {
        return new Flaky(times, then);
    }

    public static Flaky failingAlways() {
        return failing(Integer.MAX_VALUE);
    }

    @Override
    public String call() throws Exception {
        threads.add(Thread.currentThread());
        if (threads.size() > failures) {
            return then.call();
        }
        Exception fault = new IOException("attempt " + threads.size());
        thrown.add(fault);
        throw fault;
    }

    public int attempts() {
        return threads.size();
    }
}
