package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * As much memory for each group as this library has, used in the same way, and nothing else: who runs is written into it and out of it
 * again, and counted. What a task costs here, memory costs.
 */
final class PlainState extends OnVirtualThreads {

    static final String NAME = "state";
    static final String TITLE = "bare state of that size";

    /** With the places, the map and what belongs to objects, about as large as a group is: see the heap of a group in use. */
    private static final int NUMBERS = 38;

    private static final int PLACES = 16;

    private static final class State {
        private final AtomicReferenceArray<Object> running = new AtomicReferenceArray<>(PLACES);
        private final long[] numbers = new long[NUMBERS];
    }

    private final ConcurrentHashMap<String, State> states = new ConcurrentHashMap<>();

    @Override
    public Object call(String group, Callable<?> task) throws Exception {
        State state = states.computeIfAbsent(group, key -> new State());
        Thread thread = Thread.currentThread();
        int place = (int) thread.threadId() & (PLACES - 1);
        state.running.set(place, thread);
        state.numbers[0]++;
        try {
            return task.call();
        } finally {
            state.numbers[NUMBERS - 1]++;
            state.running.set(place, null);
        }
    }
}
