package io.github.kobe.soak;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** The threads of a worker pool from one start to the next, and how many of them are at a task. */
final class PoolCrew implements ThreadFactory {

    private static final ThreadLocal<PoolCrew> OF_THREAD = new ThreadLocal<>();

    final LimitChecker watch;
    final int zombies;
    private final boolean virtual;
    private final Set<Thread> threads;

    PoolCrew(Recorder recorder, int number, int most, int zombies, boolean virtual, Set<Thread> threads) {
        this.watch = new LimitChecker(Check.WORKER_LIMIT, recorder, "pool run " + number, most + zombies);
        this.zombies = zombies;
        this.virtual = virtual;
        this.threads = threads;
    }

    static Set<Thread> newThreads() {
        return ConcurrentHashMap.newKeySet();
    }

    /** Whose thread this is; {@code null} if it is no worker's. */
    static @Nullable PoolCrew ofThread() {
        return OF_THREAD.get();
    }

    @Override
    public Thread newThread(Runnable work) {
        Runnable known = () -> {
            OF_THREAD.set(this);
            try {
                work.run();
            } finally {
                threads.remove(Thread.currentThread());
            }
        };
        Thread thread = virtual
                ? Thread.ofVirtual().inheritInheritableThreadLocals(false).unstarted(known)
                : Thread.ofPlatform()
                        .daemon()
                        .inheritInheritableThreadLocals(false)
                        .unstarted(known);
        threads.add(thread);
        return thread;
    }
}
