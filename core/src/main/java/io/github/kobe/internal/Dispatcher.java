package io.github.kobe.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's front: finds the group of a ticket, serves the global gate, and ends it all.
 *
 * <p>No user code runs under a lock: limits are resolved before a group is put into the map, and tickets are started,
 * announced and stopped outside every critical section. The only locks are the monitors of a group and of the gate, each
 * around a few lines of arithmetic, never one inside the other.
 */
public final class Dispatcher {

    private static final String EXECUTOR_SHUT_DOWN = "executor shut down";
    private static final int LOOKS_PER_TTL = 4;
    private static final long SHORTEST_PATROL = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PATROL = TimeUnit.SECONDS.toNanos(15);

    /** With a time to live of zero groups leave by themselves, and only the ready queue needs a look now and then. */
    private static final long PATROL_WITHOUT_TTL = TimeUnit.MILLISECONDS.toNanos(100);

    private static final Limits UNLIMITED = new Limits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    private final Function<String, Limits> limitsOf;
    private final @Nullable GlobalGate gate;
    private final ReadyQueue ready;
    private final Runner runner;
    private final Timer timer;
    private final long idleTtl;
    private final Patrol idlePatrol;
    private volatile boolean pruneWanted;
    private final ConcurrentHashMap<String, Group> groups = new ConcurrentHashMap<>(64);

    /** Home of the tickets that run without a place: it has no cap and is not in the map. */
    private final Group detached;

    private final AtomicInteger evictions = new AtomicInteger();
    private final CountDownLatch terminated = new CountDownLatch(1);
    private volatile boolean closed;
    private volatile boolean stopped;

    /**
     * @param limitsOf resolves a group's limits when it is first used; must not throw
     * @param globalCap the most tickets that may run at once, or {@link Integer#MAX_VALUE} for no such cap
     * @param globalThreshold how many tickets may be here beyond {@code globalCap}
     * @param idleTtlNanos how long a quiet group is remembered; {@link Long#MAX_VALUE} for ever
     */
    public Dispatcher(
            Function<String, Limits> limitsOf,
            int globalCap,
            int globalThreshold,
            long idleTtlNanos,
            ReadyQueue ready,
            Runner runner,
            Timer timer) {
        this.limitsOf = limitsOf;
        this.gate = globalCap == Integer.MAX_VALUE ? null : new GlobalGate(globalCap, globalThreshold);
        this.ready = ready;
        this.runner = runner;
        this.timer = timer;
        this.idleTtl = idleTtlNanos;
        this.idlePatrol = new Patrol(timer, patrolPeriod(idleTtlNanos), this::sweepIdle, this::sweepNeeded);
        this.detached = new Group("detached", UNLIMITED, this, null, false);
    }

    /** A quiet group leaves after its time to live plus at most one period, give or take the timer. */
    private static long patrolPeriod(long ttl) {
        return ttl == 0 ? PATROL_WITHOUT_TTL : Math.clamp(ttl / LOOKS_PER_TTL, SHORTEST_PATROL, LONGEST_PATROL);
    }

    // ---- tickets -------------------------------------------------------------------------------------------------

    /** Lets the ticket into the group {@code key}, or says why not. */
    public Admission submit(String key, Ticket<?> ticket) {
        while (!closed) {
            Group group = groups.get(key);
            if (group == null) {
                group = create(key);
            }
            if (closed) {
                break; // looked at again: a close that began after this goes through the map with the group in it
            }
            Admission admission = group.admit(ticket);
            switch (admission) {
                case RETIRED -> forget(group);
                case STALE -> resolveAgain(group);
                default -> {
                    return admission;
                }
            }
        }
        return Admission.CLOSED;
    }

    private void resolveAgain(Group group) {
        int before = evictions.get();
        group.setLimits(limitsOf.apply(group.key()));
        forgetIfEvictedSince(before, group);
    }

    /** What was evicted while its limits were being resolved may have been resolved too early. */
    private void forgetIfEvictedSince(int before, Group group) {
        if (evictions.get() != before) {
            group.forgetLimits();
        }
    }

    private Group create(String key) {
        int before = evictions.get();
        Group fresh = new Group(key, limitsOf.apply(key), this, gate, idleTtl == 0);
        Group known = groups.putIfAbsent(key, fresh);
        if (known != null) {
            return known;
        }
        forgetIfEvictedSince(before, fresh);
        if (closed) {
            fresh.close(); // a close that went through the map before it was in there has missed it
        } else if (sweepNeeded()) {
            idlePatrol.wake();
        }
        return fresh;
    }

    /** Runs the ticket on a thread of its own without a place, under no limit; shutdown reaches it all the same. */
    public Admission submitDetached(Ticket<?> ticket) {
        return detached.admit(ticket) == Admission.ADMITTED ? Admission.ADMITTED : Admission.CLOSED;
    }

    /** Runs {@code work} off the calling thread, without a place; on it, if there is no other to be had. */
    public void spawn(Runnable work) {
        detached.spawn(work);
    }

    Runner runner() {
        return runner;
    }

    long now() {
        return timer.nanoTime();
    }

    // ---- the global gate -----------------------------------------------------------------------------------------

    ReadyQueue ready() {
        return ready;
    }

    /** Starts tickets of the groups that are next while there are places; {@code placeInHand} is one the caller brings. */
    void serve(GlobalGate g, boolean placeInHand, long now) {
        boolean inHand = placeInHand;
        while (inHand ? g.pass() : g.take()) {
            Group next = ready.poll();
            Group.Offer offer = next == null ? Group.Offer.NOTHING : next.offer(now);
            inHand = offer == Group.Offer.SPENT;
            if (offer == Group.Offer.NOTHING) {
                g.putBack();
                if (next == null && ready.isEmpty()) {
                    return; // whoever adds a group from now on sees the place that was put back
                }
            }
        }
    }

    // ---- groups --------------------------------------------------------------------------------------------------

    /** Forgets the limits of {@code key}, so that its next use resolves them again. Nothing that runs or waits is disturbed. */
    public void evict(String key) {
        evictions.incrementAndGet();
        Group group = groups.get(key);
        if (group != null) {
            group.forgetLimits();
        }
    }

    /** Stops all that runs and waits in {@code key}, and forgets its limits. */
    public void stopGroup(String key) {
        evictions.incrementAndGet();
        Group group = groups.get(key);
        if (group != null) {
            List<Ticket<?>> announced = group.stop("group shut down");
            group.forgetLimits();
            announced.forEach(Ticket::awaitAnnouncement);
        }
    }

    /** Cancels those of the tickets without a place that {@code which} is true of. */
    public void stopDetached(Predicate<Ticket<?>> which) {
        detached.running().forEach(ticket -> {
            if (which.test(ticket)) {
                ticket.cancel(true, "group shut down");
            }
        });
    }

    /** Changes the limits of a group that is known; what they leave room for starts at once. */
    public void setLimits(String key, Limits limits) {
        Group group = groups.get(key);
        if (group != null) {
            group.setLimits(limits);
        }
    }

    /** Changes the global cap; only for a dispatcher that was made with one. */
    public void setGlobalCap(int cap) {
        if (gate == null) {
            throw new IllegalStateException("there is no global cap to change");
        }
        gate.resize(cap);
        serve(gate, false, now());
    }

    void retired(Group group, boolean inReadyQueue) {
        if (inReadyQueue) {
            pruneWanted = true;
            idlePatrol.wake();
        }
        forget(group);
    }

    private void forget(Group group) {
        groups.remove(group.key(), group);
        signalIfTerminated();
    }

    private boolean sweepNeeded() {
        return pruneWanted || (idleTtl > 0 && idleTtl != Long.MAX_VALUE && !groups.isEmpty());
    }

    private void sweepIdle() {
        long now = now();
        groups.values().forEach(group -> group.sweep(now, idleTtl));
        if (pruneWanted && gate != null) {
            pruneWanted = false;
            pruneReady(gate);
        }
    }

    /** Takes groups out of the ready queue whose waiting tickets were all cancelled: nobody else would come by for them. */
    private void pruneReady(GlobalGate g) {
        List<Group> keep = new ArrayList<>();
        for (Group group = ready.poll(); group != null; group = ready.poll()) {
            if (!group.leavesRing()) {
                keep.add(group);
            }
        }
        keep.forEach(ready::add);
        serve(g, false, now()); // a place may have come free while the groups were in our hands
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** Takes no more tickets; what is here goes on. */
    public void close() {
        closed = true;
        groups.values().forEach(Group::close);
        detached.close();
        signalIfTerminated();
    }

    /** Takes no more tickets, and cancels all that is here. All of it has ended, for all who look, when this returns. */
    public void stop() {
        close();
        stopped = true;
        List<Ticket<?>> announced = new ArrayList<>(detached.stop(EXECUTOR_SHUT_DOWN));
        groups.values().forEach(group -> announced.addAll(group.stop(EXECUTOR_SHUT_DOWN)));
        announced.forEach(Ticket::awaitAnnouncement);
    }

    /** Waits until no ticket is on a thread or in line; only ever true after {@link #close}. */
    public boolean awaitTermination(long nanos) throws InterruptedException {
        return terminated.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Whether tickets are refused. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Called after every removal. The map counts its entries a moment after it has changed them: a count that is still too high
     * is put right by a thread that then comes here itself, one that is too low is found out by looking.
     */
    private void signalIfTerminated() {
        if (closed
                && detached.isRetired()
                && groups.isEmpty()
                && !groups.values().iterator().hasNext()) {
            terminated.countDown();
        }
    }

    // ---- views ---------------------------------------------------------------------------------------------------

    /** The groups that are known now; none after {@link #stop}. */
    public Collection<Group> groups() {
        return stopped ? List.of() : groups.values();
    }

    /** The group {@code key} if it is known. */
    public @Nullable Group group(String key) {
        return stopped ? null : groups.get(key);
    }

    /** Places in use under the global cap, or -1 if there is no such cap. */
    public int globalUsed() {
        return gate == null ? -1 : stopped ? 0 : gate.used();
    }

    /** The global cap, {@link Integer#MAX_VALUE} if there is none. */
    public int globalCap() {
        return gate == null ? Integer.MAX_VALUE : gate.cap();
    }
}
