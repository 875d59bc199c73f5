package io.github.kobe.benchmarks;

import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A map with about as much memory for each group as this library uses, and no limits. Each task is written into the memory of its group
 * and removed again, as this library does. Its cost shows the part that is due to memory.
 */
final class MemoryOnlyAdapter extends ThreadPerTaskAdapter {

    static final String NAME = "memory";
    static final String TITLE = "memory of that size only";

    /** With the slots, the map and the object headers, a group is about as large as a group in use of this library. */
    private static final int NUMBERS = 38;

    private static final int SLOTS = 16;

    private static final class State {
        private final AtomicReferenceArray<Object> running = new AtomicReferenceArray<>(SLOTS);
        private final long[] numbers = new long[NUMBERS];
    }

    private final ConcurrentHashMap<String, State> states = new ConcurrentHashMap<>();

    @Override
    public Object call(String group, Callable<?> task) throws Exception {
        State state = states.computeIfAbsent(group, key -> new State());
        Thread thread = Thread.currentThread();
        int slot = (int) thread.threadId() & (SLOTS - 1);
        state.running.set(slot, thread);
        state.numbers[0]++;
        try {
            return task.call();
        } finally {
            state.numbers[NUMBERS - 1]++;
            state.running.set(slot, null);
        }
    }
}
