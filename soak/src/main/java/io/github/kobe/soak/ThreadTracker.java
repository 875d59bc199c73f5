package io.github.kobe.soak;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Some of the threads that tasks were seen on; made for one task each, they have to end with it. */
final class ThreadTracker {

    /** One task in so many: the threads of all would be too much to keep. */
    private static final int ONE_IN = 16;

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    void note(long op) {
        if (op % ONE_IN == 0) {
            threads.add(Thread.currentThread());
        }
    }

    /** How many are alive; forgets the others. */
    int alive() {
        threads.removeIf(thread -> !thread.isAlive());
        return threads.size();
    }

    /** The stacks of some that are alive. */
    String stacks() {
        StringBuilder text = new StringBuilder();
        threads.stream()
                .filter(Thread::isAlive)
                .limit(20)
                .forEach(thread -> Footprint.append(text, thread, thread.getStackTrace()));
        return text.toString();
    }
}
