package io.github.kobe.internal.time;

import io.github.kobe.internal.util.Faults;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's clock, and one daemon thread that all executors share. The thread terminates when no timer entry has been pending for a while.
 * The next start of an entry starts a new thread.
 *
 * <p>The entries are in one wheel with a monitor of its own. The monitor is held for a few steps in memory, and never while a thread waits
 * or an entry fires. On JDK 21 it pins a virtual thread, but for less time than parking the thread would take.
 *
 * <p><b>No wake-up is lost.</b> The timer thread writes {@link #wakeAt}, then reads the wheel again, then parks. A starting thread adds
 * its entry, then reads {@code wakeAt}. Both take the wheel's monitor, and the second one sees what the first one did: the timer thread
 * sees the entry, or the starting thread sees when the timer thread will wake up, and unparks it if that is too late. A timer thread that
 * terminates clears {@link #thread} first and reads the wheel last, for the same reason.
 */
public final class SystemTimer implements Timer {

    private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Earlier than every tick: the thread will read the wheel before it parks, and need not be unparked. */
    private static final long AWAKE = -1;

    private static final SystemTimer SHARED = new SystemTimer(KEEP_ALIVE_NANOS);

    private final long keepAlive;
    private final GuardedWheel wheel = new GuardedWheel(System.nanoTime());
    private final Faults faults = new Faults(this::nanoTime);

    /** The tick at which the thread wakes up, {@link #AWAKE}, or {@link TimerWheel#NEVER} if it is parked without a tick or does not exist. */
    private volatile long wakeAt = TimerWheel.NEVER;

    /** Written under the monitor of this object. */
    private volatile @Nullable Thread thread;

    SystemTimer(long keepAliveNanos) {
        keepAlive = keepAliveNanos;
    }

    /** The one timer of this JVM. */
    public static Timer shared() {
        return SHARED;
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void start(TimerEntry entry, long delayNanos) {
        start(entry, System.nanoTime(), delayNanos);
    }

    @Override
    public void start(TimerEntry entry, long now, long delayNanos) {
        long tick = wheel.add(entry, now, delayNanos);
        if (tick < wakeAt) {
            wakeThread(entry);
        }
    }

    @Override
    public boolean cancel(TimerEntry entry) {
        return wheel.remove(entry);
    }

    // ---- the thread ----------------------------------------------------------------------------------------------

    private void wakeThread(TimerEntry entry) {
        Thread known = thread;
        if (known != null) {
            LockSupport.unpark(known); // if it terminates nevertheless, the entry was cancelled
            return;
        }
        try {
            startThread();
        } catch (Throwable noThread) {
            if (cancel(entry)) {
                throw noThread;
            }
        }
    }

    private synchronized void startThread() {
        if (thread == null) {
            Thread fresh = Thread.ofPlatform()
                    .daemon()
                    .name("group-concurrency-timer")
                    .inheritInheritableThreadLocals(false)
                    .unstarted(this::runTimer);
            fresh.start();
            thread = fresh;
        } else {
            LockSupport.unpark(thread);
        }
    }

    private void runTimer() {
        long idleSince = System.nanoTime();
        while (true) {
            long next = fireDue();
            long now = System.nanoTime();
            long untilNext = next == TimerWheel.NEVER ? Long.MAX_VALUE : wheel.nanosUntil(next, now);
            if (!wheel.isEmpty()) {
                idleSince = now;
            }
            long untilTermination = keepAlive - (now - idleSince);
            if (untilTermination <= 0 && terminateIfEmpty()) {
                return;
            }
            // until termination at most: the cancellation of the last entry does not unpark the thread
            LockSupport.parkNanos(this, Math.min(untilNext, untilTermination));
        }
    }

    /** Fires the entries that are due, and publishes {@code wakeAt}. Returns the tick to sleep until. */
    private long fireDue() {
        Thread.interrupted(); // a set interrupt flag would keep the thread from parking
        wakeAt = AWAKE;
        long now = System.nanoTime();
        for (TimerEntry due = wheel.poll(now); due != null; due = wheel.poll(now)) {
            fire(due);
        }
        long next = wheel.nextTick(now);
        wakeAt = next;
        return Math.min(
                next, wheel.nextTick(now)); // an entry added between the two reads found it AWAKE and did not unpark it
    }

    private void fire(TimerEntry entry) {
        try {
            entry.fire();
        } catch (Throwable fault) {
            report(entry, fault);
        }
    }

    private void report(TimerEntry entry, Throwable fault) {
        try {
            faults.report("timer entry", entry.getClass().getName(), fault);
        } catch (Throwable ignored) {
            // no memory is left to report it, and other entries are due
        }
    }

    private synchronized boolean terminateIfEmpty() {
        Thread self = thread;
        thread = null;
        // a thread that adds an entry from now on calls startThread, which waits for this monitor
        wakeAt = TimerWheel.NEVER;
        if (wheel.isEmpty()) {
            return true;
        }
        thread = self;
        return false;
    }

    // ---- the wheel -----------------------------------------------------------------------------------------------

    /** A wheel and the earliest tick requested of it, guarded by the monitor of this object. */
    private static final class GuardedWheel {
        private final TimerWheel wheel;

        /**
         * The earliest future tick that any entry was added for, even if that entry has been cancelled. Most entries are cancelled soon. The
         * thread sleeps until this tick anyway, because otherwise each of the next entries would have to unpark it.
         */
        private long earliestRequested = TimerWheel.NEVER;

        GuardedWheel(long origin) {
            wheel = new TimerWheel(origin);
        }

        synchronized long add(TimerEntry entry, long now, long delay) {
            long tick = wheel.add(entry, now, delay);
            earliestRequested = Math.min(earliestRequested, tick);
            return tick;
        }

        synchronized boolean remove(TimerEntry entry) {
            return wheel.remove(entry);
        }

        synchronized @Nullable TimerEntry poll(long now) {
            return wheel.poll(now);
        }

        synchronized long nextTick(long now) {
            if (earliestRequested <= wheel.tickAt(now)) {
                earliestRequested = TimerWheel.NEVER;
            }
            return Math.min(earliestRequested, wheel.nextTick());
        }

        synchronized boolean isEmpty() {
            return wheel.isEmpty();
        }

        /** Needs no monitor: reads only what never changes. */
        long nanosUntil(long tick, long now) {
            return wheel.nanosUntil(tick, now);
        }
    }
}
