package io.github.kobe.internal.kernel;

import io.github.kobe.internal.stats.Histogram;
import io.github.kobe.internal.time.Timer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a task needs of the container it runs in: threads, the registry of running tasks, time limits, counters, and the way to give its
 * permit back. {@link Group} is the container with limits, {@link UncappedGroup} the one without.
 *
 * <p>It is the handler of uncaught exceptions of the virtual threads that are made for it. That marks them, so that a thread finds its task
 * without a thread-local.
 */
public abstract class TaskHome extends HotFields implements Thread.UncaughtExceptionHandler {

    private static final VarHandle AWAITING_RETRY;
    private static final VarHandle TERMINATING;

    /** How long a shutdown parks before it checks again. */
    private static final long CHECK_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            AWAITING_RETRY = lookup.findVarHandle(TaskHome.class, "awaitingRetry", int.class);
            TERMINATING = lookup.findVarHandle(TaskHome.class, "terminating", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Who is told when a container has retired. */
    interface Owner {

        /** No task is left, and no task will be admitted. Called once. The group may still be in the ready queue. */
        void retired(TaskHome home, boolean inReadyQueue);

        /** Something was counted after the container had retired. */
        void countedLate(TaskHome home);
    }

    final String key;
    final Dispatcher dispatcher;
    private final TaskRunner runner;
    private final Owner owner;
    private final RunningTasks running;
    final OutcomeCounters outcomes = new OutcomeCounters();
    private final @Nullable TaskTimes times;

    private volatile @Nullable DeadlineMonitor deadlineMonitor; // created, under the monitor, for the first time limit
    private volatile int awaitingRetry;
    private volatile int terminating;
    private volatile int stops; // written under the monitor
    private String stopReason =
            ""; // of the last stop or drop; written before, and read after, the fields that say that there was one
    private volatile boolean dropsQueued; // written after the reason
    private boolean grantsPermits; // a racy hint; whether a permit was ever held by a caller's thread

    /**
     * @param expectedTasks how many tasks will run at once at most, as far as is known
     * @param manyAtOnce whether a great many tasks may run at once, so that their slots are worth padding
     */
    TaskHome(String key, Dispatcher dispatcher, Owner owner, int expectedTasks, boolean manyAtOnce) {
        this.key = key;
        this.dispatcher = dispatcher;
        this.runner =
                dispatcher.runner().withMarker(key, this); // it starts no thread before the container is published
        this.owner = owner;
        this.running = new RunningTasks(expectedTasks, manyAtOnce || runner.reusesThreads());
        this.times = dispatcher.recordsTimes() ? new TaskTimes() : null;
    }

    // ---- what the kinds of container do differently --------------------------------------------------------------

    /** Starts the task, or queues it, or says why not. */
    abstract Admission admit(KernelTask<?> task);

    /** Starts or queues a task again, for a retry. It was admitted once, so no limit of the queue applies. */
    abstract void readmit(KernelTask<?> task);

    /**
     * A task is off its thread: its permits go to the next queued tasks, or become free.
     *
     * @param cost how many permits it had
     * @param start when the task had got the permit
     * @param now the time at which the next task gets the permit; 0 to read the clock if there is a next task
     */
    abstract void release(int cost, long start, long now);

    /** As {@link #release(int, long, long)}, of one permit. */
    final void release(long start, long now) {
        release(1, start, now);
    }

    /** Whether tasks that have started may cost more than one permit. */
    boolean hasCosts() {
        return false;
    }

    /** Whether a task may start if it has a permit. False only while the lease on the permits is not valid, see {@link PermitLeases#mayStart}. */
    boolean mayStart() {
        return true;
    }

    /** A task or a caller has held a permit for {@code nanos}, and is about to release it. */
    void ran(long nanos) {}

    /** A canceller has claimed a queued task: takes it off the count of queued tasks. */
    abstract void withdrawn();

    abstract void forEachQueued(Consumer<KernelTask<?>> action);

    /** Admits no more tasks. Retires when the last one has completed. */
    abstract void close();

    abstract boolean isClosed();

    abstract boolean isRetired();

    /** Retires if nothing is left and nothing can come. For a step that may have been the last. */
    abstract void retireIfDone();

    /** How many permits are in use. May be off while limits change. */
    public abstract int active();

    /** As {@link #active}, exactly. */
    abstract int permitsInUse();

    /** How many tasks are queued. */
    public abstract int queued();

    /** The task that the calling thread runs; {@code null} if it runs none, or is not a virtual thread that was made for one. */
    static @Nullable KernelTask<?> currentTask() {
        Thread thread = Thread.currentThread();
        return thread.isVirtual() && thread.getUncaughtExceptionHandler() instanceof TaskHome home
                ? home.running.taskOn(thread)
                : null;
    }

    /** Does what the thread's group would do. */
    @Override
    public final void uncaughtException(Thread thread, Throwable fault) {
        thread.getThreadGroup().uncaughtException(thread, fault);
    }

    // ---- threads -------------------------------------------------------------------------------------------------

    /** Starts a task. If false, the task has completed without a thread, and the permit is still the caller's. */
    final boolean start(KernelTask<?> task, long now) {
        try {
            return !task.stoppedBeforeStart() && task.permitGranted(now) && task.launch(runner);
        } catch (Throwable fault) {
            task.startFailed(fault);
            return false;
        }
    }

    /** Whether {@link #checkLease} has to be called for a task that was not queued, on its thread. */
    final boolean isLeased() {
        return dispatcher.leases() != null;
    }

    /**
     * A task that was not queued is about to begin on its thread at {@code now}.
     *
     * @return false if the lease is not valid. Then the task is returned to the queue, or started by another thread, and its permit is released
     */
    boolean checkLease(KernelTask<?> task, long now) {
        return true;
    }

    /** @param now 0 for a task that was not queued: its thread reads the clock, which spares the submitter */
    final void startOrRelease(KernelTask<?> task, long now) {
        if (!start(task, now)) {
            long end = now();
            release(task.cost(), now == 0 ? end : now, end);
        }
    }

    /** Starts the next attempt of a task that kept its permit. */
    final void startRetry(KernelTask<?> task) {
        long start = task.startedAt();
        if (!start(task, start)) {
            task.giveUpPermit(start, now(), false);
        }
    }

    /** Interrupts a task that was on {@code thread} when the caller read that. */
    final void interrupt(Thread thread, KernelTask<?> task) {
        runner.interrupt(thread, task);
    }

    /** A listener of {@code task} does not return to {@code thread}, and another thread does the next step. */
    final void heldUp(Thread thread, KernelTask<?> task) {
        runner.heldUp(thread, task);
    }

    /** Whether threads go on to other work when a task has completed. */
    final boolean reusesThreads() {
        return runner.reusesThreads();
    }

    /** Runs {@code work} on another thread; on the calling one if there is no other. */
    final void spawn(Runnable work) {
        try {
            runner.start(work);
        } catch (Throwable fault) {
            work.run();
        }
    }

    final RunningTasks running() {
        return running;
    }

    // ---- time ----------------------------------------------------------------------------------------------------

    final Timer timer() {
        return dispatcher.timer();
    }

    final long now() {
        return dispatcher.now();
    }

    /** Whether the time for which a permit was held is of use. If not, {@link #release} may be given 0 for both times. */
    final boolean recordsPermitTimes() {
        return dispatcher.recordsTimes() || dispatcher.scheduler().chargesTime();
    }

    /** The times of its tasks; {@code null} if they are not recorded. */
    final @Nullable TaskTimes times() {
        return dispatcher.recordsTimes()
                ? times
                : null; // the dispatcher's field is in every cache, this object's is not
    }

    /** How long the task that has been on a thread for longest has been there; 0 if there is none. Reads every running task. */
    public final long oldestRunningNanos() {
        if (active() == 0) {
            return 0; // a task on a thread has a permit. Of many groups most have none, and their slots are not read
        }
        long now = now();
        long[] oldest = {0};
        running.forEach(task -> oldest[0] = Math.max(oldest[0], task.runningNanos(now)));
        return oldest[0];
    }

    /** Is passed a task, the thread that it is on, and for how long it has been there. */
    @FunctionalInterface
    public interface ThreadVisitor {
        /** Visits one task. */
        void visit(KernelTask<?> task, Thread thread, long nanos);
    }

    /** Passes every task that is on a thread for the whole of the call, and maybe others, to {@code visitor}. */
    public final void forEachOnThread(ThreadVisitor visitor) {
        long now = now();
        running.forEach(task -> {
            Thread thread = task.thread();
            if (thread != null) {
                visitor.visit(task, thread, Math.max(0, task.runningNanos(now)));
            }
        });
    }

    final DeadlineMonitor deadlineMonitor() {
        DeadlineMonitor known = deadlineMonitor;
        return known == null ? createDeadlineMonitor() : known;
    }

    private synchronized DeadlineMonitor createDeadlineMonitor() {
        DeadlineMonitor known = deadlineMonitor;
        if (known == null) {
            known = new DeadlineMonitor(this, dispatcher.sweepCapacity());
            deadlineMonitor = known;
        }
        return known;
    }

    // ---- retries -------------------------------------------------------------------------------------------------

    /** A task begins to wait for a retry, and still holds its permit: the container does not retire before that is resolved. */
    void awaitingRetry() {
        AWAITING_RETRY.getAndAdd(this, 1);
    }

    /** The task is queued or on a thread again, or has completed. */
    void retryResolved() {
        AWAITING_RETRY.getAndAdd(this, -1);
        retireIfDone();
    }

    /** How many tasks wait for a retry. */
    public final int awaitingRetryCount() {
        return Math.max(0, awaitingRetry);
    }

    // ---- stopping, retiring --------------------------------------------------------------------------------------

    /**
     * Cancels every queued and running task that asked for admission before this call. A task that is being queued or started meanwhile
     * either is seen by the scans below, or sees the raised {@code stops} afterwards, see {@link KernelTask#checkStopped}.
     *
     * @return the tasks whose listeners are still being told, for the caller to wait for
     */
    final List<KernelTask<?>> stop(String reason) {
        synchronized (this) {
            stopReason = reason;
            stops++;
        }
        List<KernelTask<?>> unpublished = new ArrayList<>();
        forEachQueued(task -> addIfUnpublished(task, task.stopQueuedIfOlderThan(stops), unpublished));
        running.forEach(task -> addIfUnpublished(task, task.stopIfOlderThan(stops), unpublished));
        retireIfDone();
        return unpublished;
    }

    /** Cancels the tasks that are on a thread, and returns how many this call has cancelled. Does not wait for their listeners. */
    final int cancelRunning(String reason) {
        int[] cancelled = new int[1];
        running.forEach(task -> cancelled[0] += !task.isOffThread() && task.tryCancel(true, reason) ? 1 : 0);
        return cancelled[0];
    }

    private static void addIfUnpublished(KernelTask<?> task, boolean stopped, Collection<KernelTask<?>> unpublished) {
        if (stopped && !task.isCompleted()) {
            unpublished.add(task);
        }
    }

    // ---- shutting down -------------------------------------------------------------------------------------------

    /** A thread is about to take a task away and publish its outcome. Before that, so that the container is never idle without it. */
    final void beginTermination() {
        TERMINATING.getAndAdd(this, 1);
    }

    final void endTermination() {
        if ((int) TERMINATING.getAndAdd(this, -1) == 1) {
            retireIfDone();
        }
    }

    /** As {@link #endTermination}, for a task that another takes the place of: that one is queued before the container may retire. */
    final void endDisplacement() {
        TERMINATING.getAndAdd(this, -1);
    }

    /** From now on, no task is queued or started from the queue: it is cancelled instead. */
    final void beginDropping(String reason) {
        synchronized (this) {
            stopReason = reason;
        }
        dropsQueued = true;
    }

    /**
     * After {@link #beginDropping}: cancels every task that is queued or awaits a retry. What is on a thread continues. A task that is being
     * linked, or begins to await a retry, meanwhile either is seen by the scans below, or sees the flag afterwards.
     */
    final void dropQueued() {
        forEachQueued(KernelTask::tryDrop);
        running.forEach(KernelTask::tryDrop);
        retireIfDone();
    }

    /** A task that had waited since {@code since} was cancelled instead of being queued or started. */
    final void dropped(KernelTask<?> task, long since) {
        dispatcher.dropped(key, task, since == 0 ? 0 : Math.max(0, now() - since));
    }

    final boolean dropsQueued() {
        return dropsQueued;
    }

    /** Passes what is on a thread, and for how long, to {@code tasks}, and the number of permits that callers hold to {@code permits}. */
    final void forEachRunning(Dispatcher.TaskVisitor tasks, ObjIntConsumer<String> permits) {
        int inUse = permitsInUse();
        long now = now();
        int[] onThreads = new int[1];
        running.forEach(task -> {
            if (!task.isOffThread()) {
                onThreads[0]++;
                tasks.visit(key, task, task.startedAt() == 0 ? 0 : Math.max(0, now - task.startedAt()));
            }
        });
        if (grantsPermits && inUse > onThreads[0]) {
            permits.accept(key, inUse - onThreads[0]);
        }
    }

    /**
     * Whether the outcome of every task that has left is published, or about to be by a listener's thread. A task whose outcome is published
     * may still be registered for a moment; a caller that has waited for it does not find the container in use.
     */
    final boolean hasPublished() {
        return terminating == 0 && running.allCompleted();
    }

    /** A task that released its permit before has published its outcome: it leaves the running tasks. */
    void removePublished(int slot) {
        running.remove(slot);
    }

    final void noteGrantedPermit() {
        if (!grantsPermits) {
            grantsPermits = true;
        }
    }

    /**
     * After a stop: waits until every task that had got its permit before is among the running tasks, or has left them, until
     * {@code nanos} after {@code start}. Permits of callers' threads look like tasks that have not begun; if there may be any,
     * {@code nanosWithPermits} applies.
     *
     * <p>From the stop on, no permit becomes a running task, see {@link KernelTask#stoppedBeforeStart}. So every task that is on its thread
     * when it is counted had its permit when the permits were counted before. If both numbers are equal, no task is on its way. A task that
     * has lent its permit is on its thread as well as the borrower, so such a permit counts twice.
     */
    final void awaitBegun(long start, long nanos, long nanosWithPermits) {
        if (runner.startsByItself()) {
            parkWhile(() -> permitsInUse() + lentPermits() - tasksOnThreads() > 0
                    && System.nanoTime() - start < (grantsPermits ? nanosWithPermits : nanos));
        }
    }

    private int lentPermits() {
        Lending lending = dispatcher.lendingOrNull();
        return lending == null ? 0 : lending.lentByTasksOf(this);
    }

    /** For what takes a few steps of another thread. An interrupt does not end it. */
    static void parkWhile(BooleanSupplier condition) {
        boolean interrupted = false;
        while (condition.getAsBoolean()) {
            interrupted |= Thread.interrupted(); // an interrupted thread does not park
            LockSupport.parkNanos(CHECK_NANOS);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private int tasksOnThreads() {
        int[] number = new int[1];
        running.forEach(task -> number[0] += task.isOffThread() && !task.isNotifyingOnThisThread() ? 0 : 1);
        return number[0];
    }

    /**
     * After a shutdown: adds the tasks whose outcomes are not published. Waits for the terminations in progress, until {@code nanos} after
     * {@code start}: the calling thread may be in one of them.
     */
    final void addUnpublishedTo(Collection<KernelTask<?>> unpublished, long start, long nanos) {
        parkWhile(() -> terminating > 0 && System.nanoTime() - start < nanos);
        running.forEach(task -> addIfUnpublished(task, true, unpublished));
    }

    final int stops() {
        return stops;
    }

    final String stopReason() {
        return stopReason;
    }

    /** Shows every task that is queued or on a thread for the whole of the call, and maybe others. */
    final void forEachTask(Consumer<KernelTask<?>> action) {
        forEachQueued(action);
        running.forEach(task -> {
            if (!task
                    .isQueuedForFirstStart()) { // those were shown; one that is queued for a retry may have moved since
                action.accept(task);
            }
        });
    }

    /** For the step that retired the container. Called once. */
    final void retired(boolean inReadyQueue) {
        DeadlineMonitor known = deadlineMonitor;
        if (known != null) {
            known.stop();
        }
        owner.retired(this, inReadyQueue);
    }

    // ---- counters ------------------------------------------------------------------------------------------------

    /** Counts {@code number} more in {@code slot}, and under {@code tag} if that is not empty. */
    final void count(int slot, int number, String tag) {
        if (slot == OutcomeCounters.COMMON_OUTCOME) {
            countCommonOutcome(number);
        } else {
            outcomes.add(slot, number);
        }
        if (!tag.isEmpty()) {
            outcomes.addTag(tag, number);
        }
        if (isRetired()) {
            owner.countedLate(this);
        }
    }

    void countCommonOutcome(long number) {
        COMMON_OUTCOMES.getAndAdd(this, number);
    }

    final void addCountsTo(long[] sums) {
        outcomes.addTo(sums);
        sums[OutcomeCounters.COMMON_OUTCOME] += commonOutcomeCount();
        sums[OutcomeCounters.ADMITTED] += admittedCount();
    }

    /** How many tasks this container has admitted. */
    public long admittedCount() {
        return admitted;
    }

    /** How many of its tasks had the most common outcome, see {@link OutcomeCounters#COMMON_OUTCOME}. */
    public long commonOutcomeCount() {
        return commonOutcomes;
    }

    /** The outcomes of its tasks, by slot. */
    public final long[] counts() {
        long[] sums = new long[OutcomeCounters.SLOTS];
        addCountsTo(sums);
        return sums;
    }

    /** As {@link #counts}, of one slot. */
    public final long count(int slot) {
        return switch (slot) {
            case OutcomeCounters.COMMON_OUTCOME -> commonOutcomeCount() + outcomes.count(slot);
            case OutcomeCounters.ADMITTED -> admittedCount() + outcomes.count(slot);
            default -> outcomes.count(slot);
        };
    }

    /** How many tasks completed, by tag. */
    public final Map<String, Long> countsByTag() {
        return outcomes.byTag();
    }

    /** How long its tasks were queued; {@code null} unless times are recorded. */
    public final @Nullable Histogram waitingTimes() {
        return times == null ? null : sum(times::addWaitingTo);
    }

    /** How long its tasks held their permits; {@code null} unless times are recorded. */
    public final @Nullable Histogram runningTimes() {
        return times == null ? null : sum(times::addRunningTo);
    }

    private static Histogram sum(Consumer<Histogram> times) {
        Histogram sum = new Histogram();
        times.accept(sum);
        return sum;
    }
}
