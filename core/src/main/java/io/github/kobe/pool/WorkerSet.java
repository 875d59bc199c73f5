package io.github.kobe.pool;

import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.time.TimerEntry;
import io.github.kobe.internal.util.Faults;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a pool: how many there are, and which worker runs the next task.
 *
 * <p>The kernel decides how many tasks may run, and asks for a thread for each task that has a permit. Mostly that is the worker whose task
 * returned the permit, see {@link Worker}. Else it is the worker that became idle last. Else it is a new worker, while there are fewer than
 * {@code limit}.
 *
 * <p><b>Why there are never more.</b> The kernel's limit is at most {@code limit}: it is raised after and lowered before it. Suppose that there
 * are {@code limit} workers, none is idle, and a task with a permit comes. Each other task with a permit is at a worker or on its way here, so
 * at least one worker has no task. Its task has returned the permit, but the worker has not taken the lock yet. The new task is put in
 * {@code pending}, under the lock under which that worker looks there before it becomes idle or leaves. If the limit was lowered after the
 * task got its permit, it may have to wait until a task completes. If the limit is raised, pending tasks get new workers.
 *
 * <p>The lock is held for a few lines of arithmetic. Only the timer is called under it.
 */
final class WorkerSet implements TaskRunner {

    /** The worker that the current thread belongs to. */
    static final ThreadLocal<@Nullable Worker> CURRENT = new ThreadLocal<>();

    private static final int SWEEPS_PER_KEEP_ALIVE = 4;
    private static final long MIN_SWEEP_PERIOD = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_SWEEP_PERIOD = TimeUnit.SECONDS.toNanos(1);

    private final WorkerThreads threads;
    private final Timer timer;
    private final Faults faults;
    private final Settings settings;
    private final Runnable onZombiesChanged;
    private final Runnable onWorkerBusy;
    private final PeriodicSweep idleSweep;
    private final TaskRunner freshThreads = TaskRunner.freshVirtualThreads();
    private final Set<Worker> all = ConcurrentHashMap.newKeySet();

    // Guarded by this.
    private final Deque<Worker> idle = new ArrayDeque<>(); // longest idle first
    private final Deque<Runnable> pending = new ArrayDeque<>();
    private final UtilizationWindow usage;
    private int alive;
    private int min;
    private int limit;
    private int zombies;
    private long replacements;
    private boolean closed;
    private boolean stopped;

    /**
     * Settings that do not change.
     *
     * @param keepAliveNanos how long a worker beyond the minimum is idle before it leaves
     * @param graceNanos how long after an interrupt a task may take to return
     * @param maxZombies how many workers may be replaced at once
     */
    record Settings(long keepAliveNanos, long graceNanos, int maxZombies) {}

    /**
     * @param onZombiesChanged called when {@link #zombies} has changed, on any thread, without a lock
     * @param onWorkerBusy called when a worker that was idle or is new has got a task, on any thread, without a lock
     */
    WorkerSet(
            WorkerThreads threads,
            Timer timer,
            Faults faults,
            Settings settings,
            int min,
            int limit,
            Runnable onZombiesChanged,
            Runnable onWorkerBusy) {
        this.threads = threads;
        this.timer = timer;
        this.faults = faults;
        this.settings = settings;
        this.min = min;
        this.limit = limit;
        this.onZombiesChanged = onZombiesChanged;
        this.onWorkerBusy = onWorkerBusy;
        this.usage = new UtilizationWindow(timer.nanoTime());
        this.idleSweep = new PeriodicSweep(
                timer,
                Math.clamp(settings.keepAliveNanos / SWEEPS_PER_KEEP_ALIVE, MIN_SWEEP_PERIOD, MAX_SWEEP_PERIOD),
                this::removeExpiredIdle,
                this::hasSurplusIdle);
    }

    // ---- assignment of tasks ----------------------------------------------------------------------------------------

    /** Only tasks run on workers. Other work of the kernel must not wait for a worker, nor take its time. */
    @Override
    public void start(Runnable work) {
        if (!(work instanceof KernelTask<?>)) {
            freshThreads.start(work);
            return;
        }
        Worker self = CURRENT.get();
        if (self == null || !self.belongsTo(this) || !self.acceptsNext(work)) {
            assign(work);
        }
    }

    private void assign(Runnable work) {
        Worker worker;
        boolean added = false;
        synchronized (this) {
            worker = idle.pollLast();
            if (worker != null) {
                worker.idle = false;
            } else if (alive < limit) {
                worker = addWorker();
                added = true;
            } else {
                pending.add(work);
                return;
            }
            worker.assigned = work;
            recordUsage();
        }
        if (added) {
            startThread(worker);
        } else {
            threads.wake(worker);
        }
        onWorkerBusy.run();
    }

    private Worker addWorker() {
        Worker worker = new Worker(this);
        alive++;
        all.add(worker);
        return worker;
    }

    private void startThread(Worker worker) {
        try {
            threads.start(worker);
        } catch (Throwable noThread) {
            synchronized (this) {
                remove(worker);
            }
            throw noThread;
        }
    }

    /** The next task for a worker that has none; {@code null} if it becomes idle or was removed. */
    @Nullable
    synchronized Runnable nextWork(Worker worker) {
        Runnable handed = worker.assigned;
        if (handed != null) {
            worker.assigned = null;
            return handed;
        }
        if (worker.removed || worker.idle) {
            return null;
        }
        Runnable task = pending.poll();
        if (task != null) {
            return task;
        }
        if (closed || alive > limit || (alive > min && settings.keepAliveNanos == 0)) {
            remove(worker);
        } else {
            worker.idle = true;
            worker.idleSince = addIdle(worker);
        }
        return null;
    }

    private long addIdle(Worker worker) {
        idle.addLast(worker);
        long now = recordUsage();
        if (alive > min) {
            idleSweep.schedule();
        }
        return now;
    }

    private void remove(Worker worker) {
        worker.removed = true;
        alive--;
        all.remove(worker);
        recordUsage();
        notifyAll();
    }

    private long recordUsage() {
        long now = timer.nanoTime();
        usage.set(now, alive - idle.size(), alive);
        return now;
    }

    @Override
    public boolean reusesThreads() {
        return true;
    }

    @Override
    public boolean startsByItself() {
        return threads.runByThemselves();
    }

    /** The fault comes from the code of the kernel, not from a task. */
    void reportFault(Runnable work, Throwable fault) {
        faults.report("worker", work, fault);
    }

    // ---- number of workers ------------------------------------------------------------------------------------------

    private synchronized boolean hasSurplusIdle() {
        return alive > min && !idle.isEmpty();
    }

    private void removeExpiredIdle() {
        List<Worker> leaving = new ArrayList<>();
        synchronized (this) {
            long now = timer.nanoTime();
            for (Worker first = idle.peekFirst();
                    first != null && alive > min && now - first.idleSince >= settings.keepAliveNanos;
                    first = idle.peekFirst()) {
                leaving.add(removeLongestIdle());
            }
        }
        leaving.forEach(threads::wake);
    }

    private Worker removeLongestIdle() {
        Worker first = idle.removeFirst();
        remove(first);
        return first;
    }

    /** Sets how many workers stay when they are idle. */
    synchronized void setMin(int count) {
        min = count;
        if (alive > min && !idle.isEmpty()) {
            idleSweep.schedule();
        }
    }

    /** Sets how many workers there may be. Surplus workers leave when they are idle; pending tasks get the workers that may be added. */
    void setLimit(int count) {
        List<Worker> leaving = new ArrayList<>();
        List<Worker> added = new ArrayList<>();
        synchronized (this) {
            limit = count;
            while (alive > limit && !idle.isEmpty()) {
                leaving.add(removeLongestIdle());
            }
            while (alive < limit && !pending.isEmpty()) {
                Worker worker = addWorker();
                worker.assigned = pending.poll();
                added.add(worker);
            }
            recordUsage();
        }
        leaving.forEach(threads::wake);
        added.forEach(this::tryStartThread);
    }

    /** The assigned task has a permit already. If no thread can be started, the task stays pending. */
    private void tryStartThread(Worker worker) {
        try {
            startThread(worker);
        } catch (Throwable noThread) {
            faults.report("start of a thread", this, noThread);
            synchronized (this) {
                pending.addFirst(Objects.requireNonNull(worker.assigned));
            }
        }
    }

    /** From now on, a worker without a task leaves. */
    void close() {
        List<Worker> leaving = new ArrayList<>();
        synchronized (this) {
            closed = true;
            while (!idle.isEmpty()) {
                leaving.add(removeLongestIdle());
            }
        }
        leaving.forEach(threads::wake);
    }

    /** No task is queued any more, so workers are not replaced from now on. */
    synchronized void stop() {
        stopped = true;
    }

    /** Waits until no worker is left. Called after {@link #close}, when no more tasks come. */
    synchronized void awaitNoWorkers() throws InterruptedException {
        while (alive > 0) {
            wait();
        }
    }

    // ---- tasks that do not return after an interrupt ----------------------------------------------------------------

    @Override
    public void interrupt(Thread thread, Runnable work) {
        for (Worker worker : all) {
            if (worker.interrupt(work, thread)) {
                return;
            }
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // threads are compared by identity
    public void heldUp(Thread thread, Runnable work) {
        for (Worker worker : all) {
            if (worker.thread == thread) {
                worker.heldUp(work);
                return;
            }
        }
    }

    /** The task was interrupted, or its listener does not return: starts a timer that checks after the grace whether the thread is free. */
    TimerEntry startGrace(Worker worker, Runnable work) {
        TimerEntry graceTimer = new TimerEntry() {
            @Override
            public void fire() {
                graceExpired(worker, work);
            }
        };
        timer.start(graceTimer, settings.graceNanos);
        return graceTimer;
    }

    private void graceExpired(Worker worker, Runnable work) {
        boolean replaced;
        synchronized (this) {
            if (!worker.isRunning(work) || stopped) {
                return;
            }
            replaced = tryReplace(worker);
            worker.overdue = !replaced;
        }
        faults.report(
                "a task that was interrupted, or its listener,",
                work,
                "did not end in time (its worker is replaced unless maxZombies is reached)");
        if (replaced) {
            onZombiesChanged.run();
        }
    }

    private boolean tryReplace(Worker worker) {
        if (zombies >= settings.maxZombies) {
            return false;
        }
        zombies++;
        replacements++;
        worker.replaced = true;
        return true;
    }

    /** An interrupted task has returned, so its worker is not a zombie any more. Another overdue worker may be replaced now. */
    void interruptedWorkReturned(Worker worker, TimerEntry graceTimer) {
        timer.cancel(graceTimer);
        synchronized (this) {
            worker.overdue = false;
            if (!worker.replaced) {
                return;
            }
            worker.replaced = false;
            zombies--;
            for (Worker other : all) {
                if (other.overdue && tryReplace(other)) {
                    other.overdue = false;
                }
            }
        }
        onZombiesChanged.run();
    }

    // ---- statistics -------------------------------------------------------------------------------------------------

    /** How many workers are replaced because their task has not returned. */
    synchronized int zombies() {
        return zombies;
    }

    /** How many workers were replaced in total. */
    synchronized long replacements() {
        return replacements;
    }

    synchronized int alive() {
        return alive;
    }

    synchronized int busy() {
        return alive - idle.size();
    }

    /** The fraction of the time of workers in which they were busy, over the last {@code seconds}. */
    synchronized double busyShare(int seconds) {
        return usage.busyShare(timer.nanoTime(), seconds);
    }
}
