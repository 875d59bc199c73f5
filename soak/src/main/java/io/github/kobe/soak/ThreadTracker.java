package io.github.kobe.soak;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A sample of the threads that were created for one task each. Such a thread must terminate after its task. Thread-safe. */
final class ThreadTracker {

    /** One task in this many is sampled. The threads of all tasks would need too much memory. */
    private static final int SAMPLE_ONE_IN = 16;

    /** Stack traces in a report. */
    private static final int MAX_STACK_TRACES = 20;

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /** Adds the current thread if its task belongs to the sample. */
    void sampleCurrentThread(long opId) {
        if (opId % SAMPLE_ONE_IN == 0) {
            threads.add(Thread.currentThread());
        }
    }

    /** Returns how many threads of the sample are alive, and removes the others. */
    int aliveCount() {
        threads.removeIf(thread -> !thread.isAlive());
        return threads.size();
    }

    /** Returns the stack traces of some threads that are alive. */
    String stackTraces() {
        StringBuilder text = new StringBuilder();
        threads.stream()
                .filter(Thread::isAlive)
                .limit(MAX_STACK_TRACES)
                .forEach(thread -> Footprint.appendStackTrace(text, thread, thread.getStackTrace()));
        return text.toString();
    }
}
