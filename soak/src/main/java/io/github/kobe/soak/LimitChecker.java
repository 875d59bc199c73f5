package io.github.kobe.soak;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Counts who is inside, from inside, and compares that with what is allowed.
 *
 * <p>While a limit is being raised the higher one is allowed, from before it is set. When it was lowered, what runs may go on: so
 * the higher one is allowed until no more places are in use than the lower one has. From then on there must never be more.
 */
final class LimitChecker {

    private final Check check;
    private final Recorder recorder;
    private final String name;
    private final AtomicInteger inside = new AtomicInteger();
    private volatile int allowed;
    private int wanted; // guarded by this

    LimitChecker(Check check, Recorder recorder, String name, int allowed) {
        this.check = check;
        this.recorder = recorder;
        this.name = name;
        this.allowed = allowed;
        this.wanted = allowed;
    }

    /** On the task's thread, as the first that it does. */
    void enter(long op) {
        int before = allowed; // it may be lowered while this thread is stopped between two lines
        int now = inside.incrementAndGet();
        int most = Math.max(before, allowed);
        recorder.check(check, now <= most, op, () -> name + " has " + now + " inside, and " + most + " are allowed");
    }

    /** On the task's thread, as the last that it does. */
    void leave() {
        inside.decrementAndGet();
    }

    int inside() {
        return inside.get();
    }

    int allowed() {
        return allowed;
    }

    /** Changes the limit by {@code setter}. */
    synchronized void change(int to, Runnable setter) {
        wanted = to;
        allowed = Math.max(allowed, to);
        setter.run();
    }

    /** To be called now and then. @param placesInUse asks the library; never less than are inside */
    synchronized void settle(IntSupplier placesInUse) {
        int used = placesInUse.getAsInt();
        int most = allowed;
        recorder.check(
                check, used <= most, 0, () -> name + " has " + used + " places in use, and " + most + " are allowed");
        if (used <= wanted) {
            allowed = wanted;
        }
    }
}
