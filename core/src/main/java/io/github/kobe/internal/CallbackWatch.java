package io.github.kobe.internal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Calls observers on the thread that has something to tell, and goes on without them if they do not come back.
 *
 * <p>An observer that is quick, as it should be, is simply called: what it was told happens before whatever comes next. One
 * that has not returned after a while loses its say: what was to come next is done on another thread. Either its own thread
 * or the watch goes on, never both: they compete for {@link Call#settled}.
 */
public final class CallbackWatch {

    /** How long an observer may take before work goes on without it. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Timer timer;
    private final Consumer<Runnable> elsewhere;
    private final Faults faults;
    private final Set<Call> calls = ConcurrentHashMap.newKeySet();
    private final Patrol patrol;

    /** @param elsewhere runs what a stuck observer holds up, on another thread */
    public CallbackWatch(Timer timer, Consumer<Runnable> elsewhere, Faults faults) {
        this.timer = timer;
        this.elsewhere = elsewhere;
        this.faults = faults;
        this.patrol = new Patrol(timer, PATIENCE_NANOS / 2, this::look, () -> !calls.isEmpty());
    }

    /**
     * Calls {@code callback}; what it throws is reported.
     *
     * @param what the callback's name in reports
     * @param subject what it is called about, in reports
     * @param takeOver done elsewhere if the callback does not return in time
     * @return whether the caller is to go on; false if {@code takeOver} has been done in its stead
     */
    public boolean call(String what, Object subject, Runnable callback, Runnable takeOver) {
        Call call = new Call(what, subject, timer.nanoTime() + PATIENCE_NANOS, takeOver);
        calls.add(call);
        patrol.wake();
        guard(what, subject, callback);
        calls.remove(call);
        return call.settled.compareAndSet(false, true);
    }

    /** Calls {@code callback} with nothing to come after it; what it throws is reported. */
    public void guard(String what, Object subject, Runnable callback) {
        try {
            callback.run();
        } catch (Throwable fault) {
            faults.report(what, subject, fault);
        }
    }

    @SuppressWarnings("ModifyCollectionInEnhancedForLoop") // a concurrent set bears it
    private void look() {
        long now = timer.nanoTime();
        for (Call call : calls) {
            if (now - call.deadline >= 0 && call.settled.compareAndSet(false, true)) {
                calls.remove(call);
                faults.report(call.what, call.subject, "has not returned after a second, and is not waited for,");
                elsewhere.accept(call.takeOver);
            }
        }
    }

    private static final class Call {
        final String what;
        final Object subject;
        final long deadline;
        final Runnable takeOver;
        final AtomicBoolean settled = new AtomicBoolean();

        Call(String what, Object subject, long deadline, Runnable takeOver) {
            this.what = what;
            this.subject = subject;
            this.deadline = deadline;
            this.takeOver = takeOver;
        }
    }
}
