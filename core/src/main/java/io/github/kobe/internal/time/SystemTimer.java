package io.github.kobe.internal.time;

import io.github.kobe.internal.util.Faults;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The JVM's clock, and one daemon thread shared by every executor; the thread leaves when nothing has been pending for a
 * while, and the next start brings another.
 *
 * <p>Timeouts are spread over a few wheels, each under a monitor of its own. A monitor is held for a few steps in memory and
 * never while anything is waited for or fired: a virtual thread that it pins, as it does on JDK 21, is pinned for less time
 * than parking it would take.
 *
 * <p><b>No wake-up is lost.</b> The thread writes {@link #wakeAt}, then looks at all wheels once more, then parks. A starter
 * puts its timeout in, then reads {@code wakeAt}. Whichever of the two had the wheel's monitor first, the other sees what it
 * did: the thread sees the timeout, or the starter sees when the thread will wake, and tells it if that is too late. A
 * thread that leaves does the same with {@link #thread}, and looks last.
 */
public final class SystemTimer implements Timer {

    private static final int STRIPES = 8; // a power of two
    private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Before any tick: the thread will look at all wheels before it sleeps, and nobody needs to tell it anything. */
    private static final long AWAKE = -1;

    private static final SystemTimer SHARED = new SystemTimer(KEEP_ALIVE_NANOS);

    private final long keepAlive;
    private final Stripe[] stripes = new Stripe[STRIPES];
    private final TimerWheel clock;
    private final Faults faults = new Faults();

    /** The tick that the thread sleeps for, {@link #AWAKE}, or {@link TimerWheel#NEVER} if nothing or nobody wakes it. */
    private volatile long wakeAt = TimerWheel.NEVER;

    /** Written under the monitor of this. */
    private volatile @Nullable Thread thread;

    SystemTimer(long keepAliveNanos) {
        keepAlive = keepAliveNanos;
        long origin = System.nanoTime();
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe(origin);
        }
        clock = stripes[0].wheel;
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
    public void start(TimerEntry timeout, long delayNanos) {
        start(timeout, System.nanoTime(), delayNanos);
    }

    @Override
    public void start(TimerEntry timeout, long now, long delayNanos) {
        long tick = stripeOf(timeout).add(timeout, now, delayNanos);
        if (tick < wakeAt) {
            wakeThread(timeout);
        }
    }

    @Override
    public boolean cancel(TimerEntry timeout) {
        return stripeOf(timeout).remove(timeout);
    }

    private Stripe stripeOf(TimerEntry timeout) {
        return stripes[timeout.stripe & (STRIPES - 1)];
    }

    // ---- the thread ----------------------------------------------------------------------------------------------

    private void wakeThread(TimerEntry timeout) {
        Thread told = thread;
        if (told != null) {
            LockSupport.unpark(told); // if it leaves all the same, then because the timeout is gone
            return;
        }
        try {
            startThread();
        } catch (Throwable noThread) {
            if (cancel(timeout)) {
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
        long quietSince = System.nanoTime();
        while (true) {
            long next = fireAndSettle();
            long now = System.nanoTime();
            long rest = next == TimerWheel.NEVER ? Long.MAX_VALUE : clock.nanosUntil(next, now);
            if (!isEmpty()) {
                quietSince = now;
            }
            long stay = keepAlive - (now - quietSince);
            if (stay <= 0 && leave()) {
                return;
            }
            LockSupport.parkNanos(this, Math.min(rest, stay)); // nobody tells us that the last was cancelled
        }
    }

    /** Fires what is due, and lets it be known how long the thread will sleep; returns the tick to sleep for. */
    private long fireAndSettle() {
        Thread.interrupted(); // whoever did that: it would keep the thread from sleeping
        wakeAt = AWAKE;
        long now = System.nanoTime();
        for (Stripe stripe : stripes) {
            for (TimerEntry due = stripe.poll(now); due != null; due = stripe.poll(now)) {
                fire(due);
            }
        }
        long next = nextLook(now);
        wakeAt = next;
        return Math.min(next, nextLook(now)); // what came between the two looks found the thread awake
    }

    private void fire(TimerEntry timeout) {
        try {
            timeout.fire();
        } catch (Throwable fault) {
            report(timeout, fault);
        }
    }

    private void report(TimerEntry timeout, Throwable fault) {
        try {
            faults.report("timeout", timeout.getClass().getName(), fault);
        } catch (Throwable ignored) {
            // there is no memory left to say so, and others wait for their timeouts
        }
    }

    private long nextLook(long now) {
        long next = TimerWheel.NEVER;
        for (Stripe stripe : stripes) {
            next = Math.min(next, stripe.nextLook(now));
        }
        return next;
    }

    private boolean isEmpty() {
        for (Stripe stripe : stripes) {
            if (!stripe.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    private synchronized boolean leave() {
        Thread self = thread;
        thread = null;
        wakeAt =
                TimerWheel
                        .NEVER; // whoever starts a timeout from now on comes to startThread, and waits for our monitor
        if (isEmpty()) {
            return true;
        }
        thread = self;
        return false;
    }

    // ---- its wheels ----------------------------------------------------------------------------------------------

    /** A wheel and what the thread knows of it, guarded by the monitor of this. */
    private static final class Stripe {
        private final TimerWheel wheel;

        /**
         * The earliest tick that was asked for and is still to come, even if the one who asked has cancelled. Most timeouts are
         * cancelled soon; the thread sleeps for this one all the same, or each of the next would have to wake it again.
         */
        private long asked = TimerWheel.NEVER;

        Stripe(long origin) {
            wheel = new TimerWheel(origin);
        }

        synchronized long add(TimerEntry timeout, long now, long delay) {
            long tick = wheel.add(timeout, now, delay);
            asked = Math.min(asked, tick);
            return tick;
        }

        synchronized boolean remove(TimerEntry timeout) {
            return wheel.remove(timeout);
        }

        synchronized @Nullable TimerEntry poll(long now) {
            return wheel.poll(now);
        }

        synchronized long nextLook(long now) {
            if (asked <= wheel.tickAt(now)) {
                asked = TimerWheel.NEVER;
            }
            return Math.min(asked, wheel.nextTick());
        }

        synchronized boolean isEmpty() {
            return wheel.isEmpty();
        }
    }
}
