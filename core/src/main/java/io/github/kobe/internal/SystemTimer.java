package io.github.kobe.internal;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The JVM's clock, and one daemon thread shared by every executor; the thread leaves when nothing is scheduled. */
public final class SystemTimer implements Timer {

    private static final long THREAD_KEEP_ALIVE_SECONDS = 10;

    private static final SystemTimer SHARED = new SystemTimer();

    private final ScheduledThreadPoolExecutor executor;

    private SystemTimer() {
        executor = new ScheduledThreadPoolExecutor(
                1,
                work -> Thread.ofPlatform()
                        .daemon()
                        .name("group-concurrency-timer")
                        .inheritInheritableThreadLocals(false)
                        .unstarted(work));
        executor.setKeepAliveTime(THREAD_KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
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
    public void start(Timeout timeout, long delayNanos) {
        synchronized (timeout) {
            timeout.held = executor.schedule(() -> fire(timeout), delayNanos, TimeUnit.NANOSECONDS);
        }
    }

    private static void fire(Timeout timeout) {
        synchronized (timeout) {
            if (timeout.held == null) {
                return;
            }
            timeout.held = null;
        }
        timeout.fire();
    }

    @Override
    public boolean cancel(Timeout timeout) {
        synchronized (timeout) {
            boolean pending = timeout.held instanceof java.util.concurrent.Future<?> future && future.cancel(false);
            timeout.held = null;
            return pending;
        }
    }
}
