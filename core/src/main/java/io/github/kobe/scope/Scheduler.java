package io.github.kobe.scope;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.kernel.CallbackMonitor;
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
 * The threads that run the tasks of a scope. Immutable and thread-safe.
 *
 * <p>A {@link #fixed} or {@link #priority} scheduler belongs to one scope, and is shut down when that scope is closed. An executor that was
 * given to {@link #from} is never shut down.
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
    private final CallbackMonitor callbackMonitor;

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
        this.callbackMonitor = new CallbackMonitor(timer, dispatcher::spawn, ScopeTasks.FAULTS);
    }

    private static Scheduler borrowed(String name, ExecutorService executor) {
        return new Scheduler(name, false, null, new ExecutorRunner(executor), SystemTimer.shared());
    }

    private static Scheduler owned(String name, ExecutorService executor) {
        return new Scheduler(name, false, executor, new ExecutorRunner(executor), SystemTimer.shared());
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
     * {@code size} platform threads, which terminate after an idle minute, and a queue of 100 tasks for each thread, but at least 256. If
     * the queue is full, the task runs on the submitting thread.
     *
     * @throws IllegalArgumentException if {@code size} is less than 1
     */
    public static Scheduler fixed(int size) {
        Checks.atLeast(1, "size", size);
        return owned("fixed(" + size + ")", FixedPool.inSubmissionOrder(size));
    }

    /**
     * {@code size} platform threads, which terminate after an idle minute, and an unbounded queue. The task with the highest priority runs
     * first; tasks of equal priority run in submission order.
     *
     * @throws IllegalArgumentException if {@code size} is less than 1
     */
    public static Scheduler priority(int size) {
        Checks.atLeast(1, "size", size);
        return owned("priority(" + size + ")", FixedPool.byPriority(size));
    }

    /** The threads of {@code executor}, which the caller has to shut down. */
    public static Scheduler from(ExecutorService executor) {
        return borrowed("external", Objects.requireNonNull(executor, "executor"));
    }

    /** The best scheduler of this JVM: {@link #virtualThreads}. */
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

    /** Runs tasks on the threads of an executor. Other work, such as calling a hook, gets fresh threads and does not queue behind tasks. */
    record ExecutorRunner(ExecutorService executor) implements TaskRunner {

        private static final TaskRunner FRESH = TaskRunner.freshVirtualThreads();

        @Override
        public void start(Runnable work) {
            if (work instanceof Handoff) {
                executor.execute(work);
            } else {
                FRESH.start(work);
            }
        }
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    /** Shared by its scopes: it may know of a scope for half a second after the last hook of that scope has returned. */
    CallbackMonitor callbackMonitor() {
        return callbackMonitor;
    }

    Timer timer() {
        return timer;
    }

    boolean isShutDown() {
        return owned != null && owned.isShutdown();
    }

    /** The scope that it belongs to is closed. */
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
