package io.github.kobe.stress.rig;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.BlockedWait;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.DispatcherConfig;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.kernel.Limit;
import io.github.kobe.internal.kernel.LimitSource;
import io.github.kobe.internal.kernel.PermitRequest;
import io.github.kobe.internal.kernel.SharedKey;
import io.github.kobe.internal.kernel.SharedMembership;
import io.github.kobe.internal.time.TimerEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The kernel, without threads and with manual time. */
public final class KernelUnderTest implements SchedulerUnderTest {

    /** The default queue threshold; small, so that {@link #leaks} can fill the queue. */
    public static final int QUEUE_THRESHOLD = 2;

    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final long TTL = 1;
    private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final StepRunner runner = new StepRunner();
    private final ManualTimer timer = new ManualTimer();
    private final Dispatcher dispatcher;
    private final int queueThreshold;
    private final boolean retiresAtOnce;
    private final boolean resizesGlobalLimit;
    private int limit;
    private int globalLimit;

    private KernelUnderTest(int limit, int globalLimit, long ttl, boolean resizesGlobalLimit) {
        this(limit, QUEUE_THRESHOLD, config(globalLimit, QUEUE_THRESHOLD, ttl, false, 0), resizesGlobalLimit);
    }

    private KernelUnderTest(int limit, int queueThreshold, DispatcherConfig config, boolean resizesGlobalLimit) {
        this.limit = limit;
        this.globalLimit = config.globalLimit();
        this.queueThreshold = queueThreshold;
        this.retiresAtOnce = config.idleTtlNanos() == 0;
        this.resizesGlobalLimit = resizesGlobalLimit;
        GroupLimits limits = limits(limit, false);
        this.dispatcher = new Dispatcher(key -> limits, config, new WeightedRoundRobin(), runner, timer);
    }

    /**
     * Two shared limits, "a" and "b". A group belongs to those that its key contains.
     *
     * @param permits of each shared limit and of each group
     */
    public static KernelUnderTest sharedLimits(int permits) {
        return new KernelUnderTest(new TwoSharedLimits(permits));
    }

    private KernelUnderTest(TwoSharedLimits source) {
        this.limit = source.permits;
        this.globalLimit = UNLIMITED;
        this.queueThreshold = QUEUE_THRESHOLD;
        this.retiresAtOnce = false;
        this.resizesGlobalLimit = false;
        this.dispatcher = new Dispatcher(
                source,
                config(UNLIMITED, QUEUE_THRESHOLD, Long.MAX_VALUE, false, 0),
                new WeightedRoundRobin(),
                runner,
                timer);
    }

    private record TwoSharedLimits(int permits) implements LimitSource {
        @Override
        public GroupLimits resolve(String key) {
            return new GroupLimits(permits, permits, QUEUE_THRESHOLD, 1, false);
        }

        @Override
        public boolean hasSharedLimits() {
            return true;
        }

        @Override
        public List<SharedMembership> sharedLimits(String key) {
            List<SharedMembership> memberships = new ArrayList<>();
            for (String name : List.of("a", "b")) {
                if (key.contains(name)) {
                    memberships.add(new SharedMembership(new SharedKey(name, name), permits, 0));
                }
            }
            return memberships;
        }
    }

    private static DispatcherConfig config(
            int globalLimit, int queueThreshold, long ttl, boolean blocksSubmitters, int sweepCapacity) {
        return new DispatcherConfig(
                globalLimit, queueThreshold, ttl, false, blocksSubmitters, DispatcherConfig.NO_AGEING, sweepCapacity);
    }

    private GroupLimits limits(int groupLimit, boolean paused) {
        return new GroupLimits(groupLimit, groupLimit, queueThreshold, 1, paused);
    }

    /** Every group has a limit, and there is no global limit. */
    public static KernelUnderTest noGlobalLimit(int limit) {
        return new KernelUnderTest(limit, UNLIMITED, Long.MAX_VALUE, false);
    }

    /**
     * As {@link #noGlobalLimit}; one deadline monitor tracks all tasks with a time limit. Elsewhere each of them has a timer entry
     * of its own.
     */
    public static KernelUnderTest deadlineMonitor(int limit) {
        return deadlineMonitor(limit, Long.MAX_VALUE);
    }

    /** As {@link #deadlineMonitor(int)}; a group retires with its last task. */
    public static KernelUnderTest deadlineMonitorRetiringAtOnce(int limit) {
        return deadlineMonitor(limit, 0);
    }

    private static KernelUnderTest deadlineMonitor(int limit, long ttl) {
        return new KernelUnderTest(
                limit,
                QUEUE_THRESHOLD,
                config(UNLIMITED, QUEUE_THRESHOLD, ttl, false, DispatcherConfig.DEFAULT_SWEEP_CAPACITY),
                false);
    }

    /** As {@link #noGlobalLimit}; only one task may be queued. */
    public static KernelUnderTest oneQueueSlot(int limit) {
        return new KernelUnderTest(limit, 1, config(UNLIMITED, 1, Long.MAX_VALUE, false, 0), false);
    }

    /** As {@link #noGlobalLimit}; there may be {@code maxGroups} groups. */
    public static KernelUnderTest maxGroups(int limit, int maxGroups) {
        DispatcherConfig config = new DispatcherConfig(
                UNLIMITED, QUEUE_THRESHOLD, Long.MAX_VALUE, false, false, DispatcherConfig.NO_AGEING, 0, maxGroups);
        return new KernelUnderTest(limit, QUEUE_THRESHOLD, config, false);
    }

    /** As {@link #noGlobalLimit}; submitters may block on a full queue. */
    public static KernelUnderTest blockingSubmitters(int limit) {
        return globalLimitBlockingSubmitters(limit, UNLIMITED, QUEUE_THRESHOLD);
    }

    /** As {@link #globalLimit}; submitters may block on a full queue of {@code queueThreshold} tasks. */
    public static KernelUnderTest globalLimitBlockingSubmitters(int limit, int globalLimit, int queueThreshold) {
        return new KernelUnderTest(
                limit, queueThreshold, config(globalLimit, queueThreshold, Long.MAX_VALUE, true, 0), false);
    }

    /** Every group has a limit, and all groups share a global limit. */
    public static KernelUnderTest globalLimit(int limit, int globalLimit) {
        return new KernelUnderTest(limit, globalLimit, Long.MAX_VALUE, false);
    }

    /** As {@link #globalLimit}; {@link #resize} changes the global limit. */
    public static KernelUnderTest resizableGlobalLimit(int limit, int globalLimit) {
        return new KernelUnderTest(limit, globalLimit, Long.MAX_VALUE, true);
    }

    /** As {@link #noGlobalLimit}; {@link #resize} sets a global limit. */
    public static KernelUnderTest lateGlobalLimit(int limit) {
        return new KernelUnderTest(limit, UNLIMITED, Long.MAX_VALUE, true);
    }

    /** A group retires with its last task. */
    public static KernelUnderTest retiringAtOnce(int limit) {
        return new KernelUnderTest(limit, UNLIMITED, 0, false);
    }

    /** A group retires with its last task, and all groups share a global limit. */
    public static KernelUnderTest globalLimitRetiringAtOnce(int limit, int globalLimit) {
        return new KernelUnderTest(limit, globalLimit, 0, false);
    }

    /** A group retires at the second {@link #sweep} that finds it idle. */
    public static KernelUnderTest idleSwept(int limit) {
        return new KernelUnderTest(limit, UNLIMITED, TTL, false);
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        return dispatcher.submit(group, task) == Admission.ADMITTED;
    }

    @Override
    public int occupancy() {
        int occupied = Math.max(0, dispatcher.globalInFlight());
        for (Group group : dispatcher.groups()) {
            occupied += group.active() + group.queued() + group.awaitingRetryCount();
        }
        for (Limit shared : dispatcher.sharedLimits()) {
            occupied += shared.inFlight() + shared.waitingGroups();
        }
        return occupied;
    }

    @Override
    public int queued() {
        int queued = 0;
        for (Group group : dispatcher.groups()) {
            queued += group.queued();
        }
        return queued;
    }

    /**
     * Fills all permits and the queue, and empties them again. A leaked count changes how many tasks fit. A timer entry that was
     * not cancelled, a completed task that is still listed, and a group that did not retire are leaks as well.
     */
    @Override
    public int leaks() {
        int permits = Math.min(limit, globalLimit);
        int admitted = 0;
        for (int i = 0; i <= permits + queueThreshold; i++) {
            admitted += submit("g", new RecordingTask()) ? 1 : 0;
        }
        int leaks = Math.abs(runner.startedCount() - permits) + Math.abs(admitted - permits - queueThreshold);
        runner.runAll();
        return leaks
                + occupancy()
                + timer.pendingTaskEntries()
                + listedTasks()
                + (retiresAtOnce ? dispatcher.groups().size() + timer.pendingMonitorSweeps() : 0);
    }

    private int listedTasks() {
        AtomicInteger listed = new AtomicInteger();
        dispatcher.forEachTask("g", task -> listed.incrementAndGet());
        return listed.get();
    }

    @Override
    public boolean cancel(RecordingTask task) {
        return task.cancelWithoutInterrupt();
    }

    @Override
    public void stopGroup(String group) {
        dispatcher.stopGroup(group);
    }

    @Override
    public void evict(String group) {
        dispatcher.evict(group);
    }

    @Override
    public void sweep() {
        timer.advanceAndFireAll(TTL);
    }

    @Override
    public void resize(int newLimit) {
        if (resizesGlobalLimit) {
            globalLimit = newLimit;
            dispatcher.setGlobalLimit(newLimit);
        } else {
            limit = newLimit;
            dispatcher.changeLimits("g", before -> limits(newLimit, false));
        }
    }

    @Override
    public void pause() {
        dispatcher.changeLimits("g", before -> limits(limit, true));
    }

    @Override
    public void resume() {
        dispatcher.changeLimits("g", before -> limits(limit, false));
    }

    @Override
    public boolean submitDisplacing(String group, RecordingTask task) {
        return dispatcher.submitDisplacing(group, task) == Admission.ADMITTED;
    }

    /**
     * The time of the kernel stands still. A submitter that was not woken is admitted at its next check, which is too late by the
     * system clock.
     */
    @Override
    public boolean submitBlocking(String group, RecordingTask task) {
        long start = System.nanoTime();
        try {
            return dispatcher.submitBlocking(group, task, MAX_WAIT_NANOS) == Admission.ADMITTED
                    && System.nanoTime() - start < MAX_WAIT_NANOS;
        } catch (InterruptedException e) {
            throw new AssertionError("no race interrupts this thread", e);
        }
    }

    @Override
    public boolean requestPermit(String group, TestPermitRequest request) {
        return dispatcher.submit(group, request) == Admission.ADMITTED;
    }

    @Override
    public boolean isGrantedElseWithdraw(TestPermitRequest request) {
        try {
            return request.await(0) == PermitRequest.Result.GRANTED;
        } catch (InterruptedException e) {
            throw new AssertionError("no race interrupts this thread", e);
        }
    }

    /** The end is that of a wait that was interrupted: it does not wait for the lent permit. */
    @Override
    public Runnable beginWait(TestPermitRequest holder, RecordingTask awaited) {
        // not by what the thread holds: one thread has the states of many races at a time
        BlockedWait wait = Objects.requireNonNull(BlockedWait.begin(List.of(holder), true));
        wait.add(awaited);
        return () -> wait.end(0);
    }

    @Override
    public void releasePermit(TestPermitRequest request) {
        request.release(0);
    }

    @Override
    public Runnable takeTimerEvent(TimerEvent event) {
        if (event == TimerEvent.MONITOR_SWEEP) {
            TimerEntry monitor = timer.take(TimerEvent.MONITOR_SWEEP);
            return monitor == null ? null : monitor::fire;
        }
        TimerEntry entry = timer.take(event);
        if (entry == null && event == TimerEvent.TIME_LIMIT) {
            TimerEntry monitor = timer.take(TimerEvent.MONITOR_SWEEP);
            return monitor == null ? null : () -> fireAfterTimeout(monitor);
        }
        return entry == null ? null : entry::fire;
    }

    private void fireAfterTimeout(TimerEntry monitor) {
        timer.advanceClock(RecordingTask.TIMEOUT_NANOS);
        monitor.fire();
    }

    @Override
    public void close() {
        dispatcher.close();
    }

    @Override
    public void stopAll() {
        dispatcher.stop();
    }

    @Override
    public boolean isTerminated() {
        try {
            return dispatcher.awaitTermination(0);
        } catch (InterruptedException e) {
            throw new AssertionError("no race interrupts this thread", e);
        }
    }

    @Override
    public boolean isCompleted(RecordingTask task) {
        return task.isOutcomeKnown();
    }

    @Override
    public CompletableFuture<Boolean> sharedFuture(RecordingTask task) {
        return task.sharedFuture();
    }

    @Override
    public CompletableFuture<Boolean> userFuture(RecordingTask task) {
        return task.userFuture();
    }
}
