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
    @SuppressWarnings("FutureReturnValueIgnored") // an action does not throw, so its future has nothing to say
    public void schedule(Runnable action, long delayNanos) {
        executor.schedule(action, delayNanos, TimeUnit.NANOSECONDS);
    }
}
