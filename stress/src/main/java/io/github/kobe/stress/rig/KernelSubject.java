package io.github.kobe.stress.rig;

import io.github.kobe.internal.Admission;
import io.github.kobe.internal.Dispatcher;
import io.github.kobe.internal.Group;
import io.github.kobe.internal.Limits;
import io.github.kobe.internal.RoundRobin;
import java.util.concurrent.CompletableFuture;

/** The kernel itself, its threads and its time turned by hand. */
public final class KernelSubject implements Subject {

    /** How many may wait; small, so that {@link #damage} can fill the queue up. */
    public static final int THRESHOLD = 2;

    private static final int NO_GATE = Integer.MAX_VALUE;
    private static final long TTL = 1;

    private final Crank crank = new Crank();
    private final StoppedTimer timer = new StoppedTimer();
    private final Dispatcher dispatcher;
    private final boolean resizesGate;
    private int cap;
    private int globalCap;

    private KernelSubject(int cap, int globalCap, long ttl, boolean resizesGate) {
        this.cap = cap;
        this.globalCap = globalCap;
        this.resizesGate = resizesGate;
        Limits limits = limits(cap);
        this.dispatcher = new Dispatcher(key -> limits, globalCap, THRESHOLD, ttl, new RoundRobin(), crank, timer);
    }

    private static Limits limits(int cap) {
        return new Limits(cap, cap, THRESHOLD);
    }

    /** Every group has its cap, and nothing is above it. */
    public static KernelSubject ungated(int cap) {
        return new KernelSubject(cap, NO_GATE, Long.MAX_VALUE, false);
    }

    /** Every group has its cap, and all share another. */
    public static KernelSubject gated(int cap, int globalCap) {
        return new KernelSubject(cap, globalCap, Long.MAX_VALUE, false);
    }

    /** As {@link #gated}; {@link #resize} changes the shared cap. */
    public static KernelSubject gateResized(int cap, int globalCap) {
        return new KernelSubject(cap, globalCap, Long.MAX_VALUE, true);
    }

    /** A group leaves with its last ticket. */
    public static KernelSubject retiringAtOnce(int cap) {
        return new KernelSubject(cap, NO_GATE, 0, false);
    }

    /** A group leaves with its last ticket, and all share another cap. */
    public static KernelSubject gatedRetiringAtOnce(int cap, int globalCap) {
        return new KernelSubject(cap, globalCap, 0, false);
    }

    /** A group leaves at the second {@link #sweep} that finds it at rest. */
    public static KernelSubject swept(int cap) {
        return new KernelSubject(cap, NO_GATE, TTL, false);
    }

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        return dispatcher.submit(group, job) == Admission.ADMITTED;
    }

    @Override
    public int held() {
        int held = Math.max(0, dispatcher.globalUsed());
        for (Group group : dispatcher.groups()) {
            held += group.active() + group.queued();
        }
        return held;
    }

    /** Fills it to the brim and empties it again: a count that leaked, either way, moves the brim. */
    @Override
    public int damage() {
        int places = Math.min(cap, globalCap);
        int admitted = 0;
        for (int i = 0; i <= places + THRESHOLD; i++) {
            admitted += submit("g", new Job()) ? 1 : 0;
        }
        int damage = Math.abs(crank.waiting() - places) + Math.abs(admitted - places - THRESHOLD);
        crank.turn();
        return damage + held();
    }

    @Override
    public boolean cancel(Job job) {
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
            dispatcher.setGlobalCap(newCap);
        } else {
            cap = newCap;
            dispatcher.setLimits("g", limits(newCap));
        }
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
    public boolean isEnded(Job job) {
        return job.isTicketEnded();
    }

    @Override
    public CompletableFuture<Boolean> waiter(Job job) {
        return job.waiter();
    }

    @Override
    public CompletableFuture<Boolean> view(Job job) {
        return job.view();
    }
}
