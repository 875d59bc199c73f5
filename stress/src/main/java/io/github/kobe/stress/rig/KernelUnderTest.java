package io.github.kobe.stress.rig;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.DispatcherConfig;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.kernel.PermitRequest;
import io.github.kobe.internal.time.TimerEntry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The kernel itself, its threads and its time turned by hand. */
public final class KernelUnderTest implements SchedulerUnderTest {

    /** How many may wait, if nothing else is said; small, so that {@link #damage} can fill the queue up. */
    public static final int THRESHOLD = 2;

    private static final int NO_GATE = Integer.MAX_VALUE;
    private static final long TTL = 1;
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(3);

    private final StepRunner crank = new StepRunner();
    private final ManualTimer timer = new ManualTimer();
    private final Dispatcher dispatcher;
    private final int threshold;
    private final boolean leavesAtOnce;
    private final boolean resizesGate;
    private int cap;
    private int globalCap;

    private KernelUnderTest(int cap, int globalCap, long ttl, boolean resizesGate) {
        this(cap, THRESHOLD, setup(globalCap, THRESHOLD, ttl, false, 0), resizesGate);
    }

    private KernelUnderTest(int cap, int threshold, DispatcherConfig setup, boolean resizesGate) {
        this.cap = cap;
        this.globalCap = setup.globalLimit();
        this.threshold = threshold;
        this.leavesAtOnce = setup.idleTtlNanos() == 0;
        this.resizesGate = resizesGate;
        GroupLimits limits = limits(cap, false);
        this.dispatcher = new Dispatcher(key -> limits, setup, new WeightedRoundRobin(), crank, timer);
    }

    private static DispatcherConfig setup(int globalCap, int threshold, long ttl, boolean letsWait, int crowd) {
        return new DispatcherConfig(
                globalCap, threshold, ttl, false, letsWait, DispatcherConfig.NO_AGEING, false, crowd);
    }

    private GroupLimits limits(int ofCap, boolean paused) {
        return new GroupLimits(ofCap, ofCap, threshold, 1, paused);
    }

    /** Every group has its cap, and nothing is above it. */
    public static KernelUnderTest ungated(int cap) {
        return new KernelUnderTest(cap, NO_GATE, Long.MAX_VALUE, false);
    }

    /** As {@link #ungated}; a watch looks at those that may not wait or run for ever, which elsewhere have a timeout each. */
    public static KernelUnderTest watched(int cap) {
        return watched(cap, Long.MAX_VALUE);
    }

    /** As {@link #watched(int)}, and a group leaves with its last ticket. */
    public static KernelUnderTest watchedRetiringAtOnce(int cap) {
        return watched(cap, 0);
    }

    private static KernelUnderTest watched(int cap, long ttl) {
        return new KernelUnderTest(
                cap, THRESHOLD, setup(NO_GATE, THRESHOLD, ttl, false, DispatcherConfig.DEFAULT_SWEEP_CAPACITY), false);
    }

    /** As {@link #ungated}, but only one may wait. */
    public static KernelUnderTest narrow(int cap) {
        return new KernelUnderTest(cap, 1, setup(NO_GATE, 1, Long.MAX_VALUE, false, 0), false);
    }

    /** As {@link #ungated}, and threads may wait for room in line. */
    public static KernelUnderTest patient(int cap) {
        return gatedPatient(cap, NO_GATE, THRESHOLD);
    }

    /** As {@link #gated}, and threads may wait for room in line, where as many as {@code threshold} fit. */
    public static KernelUnderTest gatedPatient(int cap, int globalCap, int threshold) {
        return new KernelUnderTest(cap, threshold, setup(globalCap, threshold, Long.MAX_VALUE, true, 0), false);
    }

    /** Every group has its cap, and all share another. */
    public static KernelUnderTest gated(int cap, int globalCap) {
        return new KernelUnderTest(cap, globalCap, Long.MAX_VALUE, false);
    }

    /** As {@link #gated}; {@link #resize} changes the shared cap. */
    public static KernelUnderTest gateResized(int cap, int globalCap) {
        return new KernelUnderTest(cap, globalCap, Long.MAX_VALUE, true);
    }

    /** As {@link #ungated}; {@link #resize} makes the groups share a cap. */
    public static KernelUnderTest gatedLate(int cap) {
        return new KernelUnderTest(cap, NO_GATE, Long.MAX_VALUE, true);
    }

    /** A group leaves with its last ticket. */
    public static KernelUnderTest retiringAtOnce(int cap) {
        return new KernelUnderTest(cap, NO_GATE, 0, false);
    }

    /** A group leaves with its last ticket, and all share another cap. */
    public static KernelUnderTest gatedRetiringAtOnce(int cap, int globalCap) {
        return new KernelUnderTest(cap, globalCap, 0, false);
    }

    /** A group leaves at the second {@link #sweep} that finds it at rest. */
    public static KernelUnderTest swept(int cap) {
        return new KernelUnderTest(cap, NO_GATE, TTL, false);
    }

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        return dispatcher.submit(group, job) == Admission.ADMITTED;
    }

    @Override
    public int held() {
        int held = Math.max(0, dispatcher.globalInFlight());
        for (Group group : dispatcher.groups()) {
            held += group.active() + group.queued() + group.awaitingRetryCount();
        }
        return held;
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
     * Fills it to the brim and empties it again: a count that leaked, either way, moves the brim. A timeout that nobody took back,
     * a ticket that is shown though it is gone, or a group that should have left, is a leak as well.
     */
    @Override
    public int damage() {
        int places = Math.min(cap, globalCap);
        int admitted = 0;
        for (int i = 0; i <= places + threshold; i++) {
            admitted += submit("g", new RecordingTask()) ? 1 : 0;
        }
        int damage = Math.abs(crank.waiting() - places) + Math.abs(admitted - places - threshold);
        crank.turn();
        return damage
                + held()
                + timer.pending()
                + shown()
                + (leavesAtOnce ? dispatcher.groups().size() + timer.watches() : 0);
    }

    private int shown() {
        AtomicInteger shown = new AtomicInteger();
        dispatcher.forEachTask("g", ticket -> shown.incrementAndGet());
        return shown.get();
    }

    @Override
    public boolean cancel(RecordingTask job) {
        return job.cancelTicket();
    }

    @Override
    public void stop(String group) {
        dispatcher.stopGroup(group);
    }

    @Override
    public void evict(String group) {
        dispatcher.evict(group);
    }

    @Override
    public void sweep() {
        timer.advance(TTL);
    }

    @Override
    public void resize(int newCap) {
        if (resizesGate) {
            globalCap = newCap;
            dispatcher.setGlobalLimit(newCap);
        } else {
            cap = newCap;
            dispatcher.changeLimits("g", before -> limits(newCap, false));
        }
    }

    @Override
    public void pause() {
        dispatcher.changeLimits("g", before -> limits(cap, true));
    }

    @Override
    public void resume() {
        dispatcher.changeLimits("g", before -> limits(cap, false));
    }

    @Override
    public boolean submitDisplacing(String group, RecordingTask job) {
        return dispatcher.submitDisplacing(group, job) == Admission.ADMITTED;
    }

    /** The kernel's time stands still, so the thread asks again, and gets in, when it was not woken: late, by our clock. */
    @Override
    public boolean submitWaiting(String group, RecordingTask job) {
        long began = System.nanoTime();
        try {
            return dispatcher.submitBlocking(group, job, PATIENCE) == Admission.ADMITTED
                    && System.nanoTime() - began < PATIENCE;
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts this race", e);
        }
    }

    @Override
    public boolean ask(String group, TestPermitRequest guest) {
        return dispatcher.submit(group, guest) == Admission.ADMITTED;
    }

    @Override
    public boolean hasPlaceNow(TestPermitRequest guest) {
        try {
            return guest.await(0) == PermitRequest.Result.GRANTED;
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts this race", e);
        }
    }

    @Override
    public void giveBack(TestPermitRequest guest) {
        guest.release(0);
    }

    @Override
    public Runnable due(TimerEvent kind) {
        if (kind == TimerEvent.LOOK) {
            TimerEntry watch = timer.takeWatch();
            return watch == null ? null : watch::fire;
        }
        TimerEntry timeout = timer.take(kind);
        if (timeout == null && kind != TimerEvent.RETRY) {
            TimerEntry watch = timer.takeWatch();
            return watch == null ? null : () -> fireLate(watch);
        }
        return timeout == null ? null : timeout::fire;
    }

    private void fireLate(TimerEntry watch) {
        timer.pass(RecordingTask.SOME_TIME);
        watch.fire();
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
            throw new AssertionError("nobody interrupts a race", e);
        }
    }

    @Override
    public boolean isEnded(RecordingTask job) {
        return job.isTicketEnded();
    }

    @Override
    public CompletableFuture<Boolean> waiter(RecordingTask job) {
        return job.waiter();
    }

    @Override
    public CompletableFuture<Boolean> view(RecordingTask job) {
        return job.view();
    }
}
