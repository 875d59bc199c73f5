package io.github.kobe.soak;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Counts running tasks on their own threads and compares the count with a limit that changes. Thread-safe.
 *
 * <p>A raised limit applies before it is passed to the library. A lowered limit applies as soon as no more permits are in use than it has:
 * until then tasks that hold a permit may finish. From then on the count must never exceed it.
 */
final class LimitChecker {

    private final Check check;
    private final CheckRecorder recorder;
    private final String name;
    private final AtomicInteger running = new AtomicInteger();

    /** The limit that is enforced now. */
    private volatile int limit;

    /** The limit that was set last. Smaller than {@link #limit} while a lowered limit does not apply yet. Guarded by this. */
    private int requestedLimit;

    LimitChecker(Check check, CheckRecorder recorder, String name, int limit) {
        this.check = check;
        this.recorder = recorder;
        this.name = name;
        this.limit = limit;
        this.requestedLimit = limit;
    }

    /** Called on the thread of the task, before its code. */
    void enter(long opId) {
        int limitBefore = limit; // it may be lowered while this thread is between these two reads
        int count = running.incrementAndGet();
        int max = Math.max(limitBefore, limit);
        recorder.check(check, count <= max, opId, () -> name + " has " + count + " running tasks, limit " + max);
    }

    /** Called on the thread of the task, after its code. */
    void exit() {
        running.decrementAndGet();
    }

    int running() {
        return running.get();
    }

    int limit() {
        return limit;
    }

    /** Changes the limit. {@code setter} passes the new limit to the library. */
    synchronized void changeLimit(int newLimit, Runnable setter) {
        requestedLimit = newLimit;
        limit = Math.max(limit, newLimit);
        setter.run();
    }

    /**
     * Checks the permits in use as the library reports them, and applies a lowered limit if possible. Called from time to time.
     *
     * @param permitsInUse asks the library; never less than the number of running tasks
     */
    synchronized void checkPermitsInUse(IntSupplier permitsInUse) {
        int used = permitsInUse.getAsInt();
        int max = limit;
        recorder.check(check, used <= max, 0, () -> name + " has " + used + " permits in use, limit " + max);
        if (used <= requestedLimit) {
            limit = requestedLimit;
        }
    }
}
