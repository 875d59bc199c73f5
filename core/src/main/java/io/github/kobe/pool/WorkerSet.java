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
 * The workers of a pool: how many there are, and who does what comes next.
 *
 * <p>The kernel decides how many tickets may run, and asks for a thread for each that has got a place. Mostly that is the worker
 * whose ticket gave the place up, see {@link Worker}; else one that waits, the last to begin; else a new one, while there are fewer than
 * {@code limit}.
 *
 * <p><b>Why there never are more.</b> The kernel's cap is at most {@code limit}: it is raised after, and lowered before it. Let there be
 * {@code limit} workers and none that waits, when a ticket that has a place comes. Each of the others that have one is with a worker,
 * or on its way here; so there is at least one worker without. It has given its place up and not come here yet. The ticket is put in
 * {@code pending}, under the lock under which that worker looks there before it waits or leaves. (If the limit was lowered since the
 * ticket got its place it may have to wait for a worker to finish, as the new limit has it. If it is raised, those pending are looked
 * at.)
 *
 * <p>The lock is held for a few lines of arithmetic, and nothing but the timer is called under it.
 */
final class WorkerSet implements TaskRunner {

    /** The worker whose thread this is. */
    static final ThreadLocal<@Nullable Worker> SELF = new ThreadLocal<>();

    private static final int LOOKS = 4;
    private static final long SHORTEST_PATROL = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PATROL = TimeUnit.SECONDS.toNanos(1);

    private final WorkerThreads threads;
    private final Timer timer;
    private final Faults faults;
    private final Terms terms;
    private final Runnable resized;
    private final Runnable busier;
    private final PeriodicSweep patrol;
    private final TaskRunner others = TaskRunner.freshVirtualThreads();
    private final Set<Worker> all = ConcurrentHashMap.newKeySet();

    // Guarded by this.
    private final Deque<Worker> idle = new ArrayDeque<>(); // longest first
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
     * What does not change.
     *
     * @param keepAliveNanos how long one that is not needed waits before it leaves
     * @param graceNanos how long after an interruption work has to end
     * @param maxZombies how many workers may be replaced at once
     */
    record Terms(long keepAliveNanos, long graceNanos, int maxZombies) {}

    /**
     * @param resized called when {@link #zombies} has changed, on whatever thread, without a lock
     * @param busier called when one that waited has got something to do, likewise
     */
    WorkerSet(
            WorkerThreads threads,
            Timer timer,
            Faults faults,
            Terms terms,
            int min,
            int limit,
            Runnable resized,
            Runnable busier) {
        this.threads = threads;
        this.timer = timer;
        this.faults = faults;
        this.terms = terms;
        this.min = min;
        this.limit = limit;
        this.resized = resized;
        this.busier = busier;
        this.usage = new UtilizationWindow(timer.nanoTime());
        this.patrol = new PeriodicSweep(
                timer,
                Math.clamp(terms.keepAliveNanos / LOOKS, SHORTEST_PATROL, LONGEST_PATROL),
                this::dismissIdle,
                this::hasSurplus);
    }

    // ---- work comes ----------------------------------------------------------------------------------------------

    /** Only tickets are for workers; what else the kernel has to do is not to wait for one, nor to take one's time. */
    @Override
    public void start(Runnable work) {
        if (!(work instanceof KernelTask<?>)) {
            others.start(work);
            return;
        }
        Worker self = SELF.get();
        if (self == null || !self.isOf(this) || !self.takesNext(work)) {
            handOver(work);
        }
    }

    private void handOver(Runnable work) {
        Worker worker;
        boolean fresh = false;
        synchronized (this) {
            worker = idle.pollLast();
            if (worker != null) {
                worker.idle = false;
            } else if (alive < limit) {
                worker = hire();
                fresh = true;
            } else {
                pending.add(work);
                return;
            }
            worker.handed = work;
            noteUsage();
        }
        if (fresh) {
            begin(worker);
        } else {
            threads.wake(worker);
        }
        busier.run();
    }

    private Worker hire() {
        Worker worker = new Worker(this);
        alive++;
        all.add(worker);
        return worker;
    }

    private void begin(Worker worker) {
        try {
            threads.start(worker);
        } catch (Throwable noThread) {
            synchronized (this) {
                dismiss(worker);
            }
            throw noThread;
        }
    }

    /** For a worker that has nothing: what it is to do; null if it is to wait, or is gone. */
    @Nullable
    synchronized Runnable nextFor(Worker worker) {
        Runnable handed = worker.handed;
        if (handed != null) {
            worker.handed = null;
            return handed;
        }
        if (worker.gone || worker.idle) {
            return null;
        }
        Runnable waiting = pending.poll();
        if (waiting != null) {
            return waiting;
        }
        if (closed || alive > limit || (alive > min && terms.keepAliveNanos == 0)) {
            dismiss(worker);
        } else {
            worker.idle = true;
            worker.idleSince = noteIdle(worker);
        }
        return null;
    }

    private long noteIdle(Worker worker) {
        idle.addLast(worker);
        long now = noteUsage();
        if (alive > min) {
            patrol.schedule();
        }
        return now;
    }

    private void dismiss(Worker worker) {
        worker.gone = true;
        alive--;
        all.remove(worker);
        noteUsage();
        notifyAll();
    }

    private long noteUsage() {
        long now = timer.nanoTime();
        usage.set(now, alive - idle.size(), alive);
        return now;
    }

    @Override
    public boolean reusesThreads() {
        return true;
    }

    /** It came out of the kernel's own code, not out of a task. */
    void broken(Runnable work, Throwable fault) {
        faults.report("worker", work, fault);
    }

    // ---- how many ------------------------------------------------------------------------------------------------

    private synchronized boolean hasSurplus() {
        return alive > min && !idle.isEmpty();
    }

    private void dismissIdle() {
        List<Worker> leaving = new ArrayList<>();
        synchronized (this) {
            long now = timer.nanoTime();
            for (Worker first = idle.peekFirst();
                    first != null && alive > min && now - first.idleSince >= terms.keepAliveNanos;
                    first = idle.peekFirst()) {
                leaving.add(dismissFirst());
            }
        }
        leaving.forEach(threads::wake);
    }

    private Worker dismissFirst() {
        Worker first = idle.removeFirst();
        dismiss(first);
        return first;
    }

    /** How many stay. */
    synchronized void setMin(int number) {
        min = number;
        if (alive > min && !idle.isEmpty()) {
            patrol.schedule();
        }
    }

    /** How many there are at most; those beyond leave when they have nothing to do, and what is pending gets those that may come. */
    void setLimit(int number) {
        List<Worker> leaving = new ArrayList<>();
        List<Worker> coming = new ArrayList<>();
        synchronized (this) {
            limit = number;
            while (alive > limit && !idle.isEmpty()) {
                leaving.add(dismissFirst());
            }
            while (alive < limit && !pending.isEmpty()) {
                Worker worker = hire();
                worker.handed = pending.poll();
                coming.add(worker);
            }
            noteUsage();
        }
        leaving.forEach(threads::wake);
        coming.forEach(this::beginIfItCan);
    }

    /** What it was to do has a place already, and stays pending if there is no thread to be had now. */
    private void beginIfItCan(Worker worker) {
        try {
            begin(worker);
        } catch (Throwable noThread) {
            faults.report("start of a thread", this, noThread);
            synchronized (this) {
                pending.addFirst(Objects.requireNonNull(worker.handed));
            }
        }
    }

    /** Whoever has nothing to do leaves, from now on. */
    void close() {
        List<Worker> leaving = new ArrayList<>();
        synchronized (this) {
            closed = true;
            while (!idle.isEmpty()) {
                leaving.add(dismissFirst());
            }
        }
        leaving.forEach(threads::wake);
    }

    /** Nothing waits any more: whoever does not end is not replaced. */
    synchronized void stop() {
        stopped = true;
    }

    /** Waits until nobody is left; after {@link #close}, and when no work comes any more. */
    synchronized void awaitNone() throws InterruptedException {
        while (alive > 0) {
            wait();
        }
    }

    // ---- work that will not end ----------------------------------------------------------------------------------

    @Override
    public void interrupt(Thread thread, Runnable work) {
        for (Worker worker : all) {
            if (worker.interrupt(work, thread)) {
                return;
            }
        }
    }

    /** Work was interrupted: has somebody look, in a while, whether it has ended. */
    TimerEntry watch(Worker worker, Runnable work) {
        TimerEntry watch = new TimerEntry() {
            @Override
            public void fire() {
                overdue(worker, work);
            }
        };
        timer.start(watch, terms.graceNanos);
        return watch;
    }

    private void overdue(Worker worker, Runnable work) {
        boolean replaced;
        synchronized (this) {
            if (!worker.isAt(work) || stopped) {
                return;
            }
            replaced = replaceIfRoom(worker);
            worker.overdue = !replaced;
        }
        faults.report(
                "a task that was interrupted", work, "did not end in time; its worker was replaced, if that may be,");
        if (replaced) {
            resized.run();
        }
    }

    private boolean replaceIfRoom(Worker worker) {
        if (zombies >= terms.maxZombies) {
            return false;
        }
        zombies++;
        replacements++;
        worker.replaced = true;
        return true;
    }

    /** Work that was interrupted has ended: its worker is one among others again. Another one may be waiting to be replaced. */
    void ended(Worker worker, TimerEntry watch) {
        timer.cancel(watch);
        synchronized (this) {
            worker.overdue = false;
            if (!worker.replaced) {
                return;
            }
            worker.replaced = false;
            zombies--;
            for (Worker other : all) {
                if (other.overdue && replaceIfRoom(other)) {
                    other.overdue = false;
                }
            }
        }
        resized.run();
    }

    // ---- figures -------------------------------------------------------------------------------------------------

    /** How many workers have been replaced, and not come back. */
    synchronized int zombies() {
        return zombies;
    }

    /** How many workers were replaced, in all. */
    synchronized long replacements() {
        return replacements;
    }

    synchronized int alive() {
        return alive;
    }

    synchronized int busy() {
        return alive - idle.size();
    }

    /** The busy part of the workers' time over the last {@code seconds}. */
    synchronized double busyShare(int seconds) {
        return usage.share(timer.nanoTime(), seconds);
    }
}
