package io.github.kobe.scope;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.SystemTimer;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Checks;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;

/**
 * What threads a scope's tasks run on. Immutable, and safe for use by many threads.
 *
 * <p>Those of {@link #fixed} and {@link #priority} are made for a scope, and shut down when that is closed. One that is
 * {@linkplain #from borrowed} is never shut down.
 */
public final class Scheduler {

    private static final GroupLimits UNLIMITED =
            new GroupLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    private static final Scheduler VIRTUAL_THREADS =
            new Scheduler("virtualThreads", true, null, TaskRunner.freshVirtualThreads(), SystemTimer.shared());
    private static final Scheduler COMMON_POOL = borrowed("commonPool", ForkJoinPool.commonPool());

    private final String name;
    private final boolean virtual;
    private final @Nullable ExecutorService owned;
    private final Dispatcher dispatcher;
    private final Timer timer;

    Scheduler(String name, boolean virtual, @Nullable ExecutorService owned, TaskRunner runner, Timer timer) {
        this.name = name;
        this.virtual = virtual;
        this.owned = owned;
        this.timer = timer;
        this.dispatcher = new Dispatcher(
                key -> UNLIMITED,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE,
                Long.MAX_VALUE,
                new WeightedRoundRobin(),
                runner,
                timer);
    }

    private static Scheduler borrowed(String name, ExecutorService executor) {
        return new Scheduler(name, false, null, new BorrowedThreads(executor), SystemTimer.shared());
    }

    private static Scheduler owned(String name, ExecutorService executor) {
        return new Scheduler(name, false, executor, new BorrowedThreads(executor), SystemTimer.shared());
    }

    /** A fresh virtual thread for each task. */
    public static Scheduler virtualThreads() {
        return VIRTUAL_THREADS;
    }

    /** The threads of {@link ForkJoinPool#commonPool()}. */
    public static Scheduler commonPool() {
        return COMMON_POOL;
    }

    /**
     * As many platform threads as {@code size}, which leave after a minute without work, and a queue of 100 tasks for each, but of no
     * fewer than 256. If that is full, a task runs on the thread that would put it there.
     *
     * @throws IllegalArgumentException if {@code size} is less than 1
     */
    public static Scheduler fixed(int size) {
        Checks.atLeast(1, "size", size);
        return owned("fixed(" + size + ")", FixedPool.inOrder(size));
    }

    /**
     * As many platform threads as {@code size}, which leave after a minute without work, and take the waiting task of the highest
     * priority first, of equal ones the one that was submitted first. As many wait as may be.
     *
     * @throws IllegalArgumentException if {@code size} is less than 1
     */
    public static Scheduler priority(int size) {
        Checks.atLeast(1, "size", size);
        return owned("priority(" + size + ")", FixedPool.byPriority(size));
    }

    /** The threads of {@code executor}, which stays the caller's to shut down. */
    public static Scheduler from(ExecutorService executor) {
        return borrowed("external", Objects.requireNonNull(executor, "executor"));
    }

    /** The best that this JVM has: {@link #virtualThreads}. */
    public static Scheduler detect() {
        return virtualThreads();
    }

    /** Such as "virtualThreads", "commonPool", "fixed(8)", "priority(4)" or "external". */
    public String name() {
        return name;
    }

    /** Whether each task has a virtual thread of its own. */
    public boolean isVirtualThreadMode() {
        return virtual;
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    Timer timer() {
        return timer;
    }

    boolean isShutDown() {
        return owned != null && owned.isShutdown();
    }

    /** The scope that it was made for is closed. */
    void release() {
        if (owned != null) {
            owned.shutdown();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
