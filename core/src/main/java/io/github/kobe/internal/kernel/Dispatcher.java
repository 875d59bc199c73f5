package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.time.PeriodicSweep;
import io.github.kobe.internal.time.Timer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's front: finds the group of a ticket, knows the groups, and ends it all.
 *
 * <p>No user code runs under a lock: limits are resolved before a group is put into the map, and tickets are started,
 * announced and stopped outside every critical section. The only locks on a ticket's way are the monitors of a group and of the
 * gate, each around a few lines of arithmetic, never one inside the other, and that of a watch, around the timer's, if it has to wake
 * sooner; the dispatcher's own is for the one time that a gate is put over groups that are there already.
 */
public final class Dispatcher extends Commons {

    private static final String EXECUTOR_SHUT_DOWN = "executor shut down";
    private static final int LOOKS_PER_TTL = 4;
    private static final long SHORTEST_PATROL = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PATROL = TimeUnit.SECONDS.toNanos(15);

    /** With a time to live of zero groups leave by themselves, and only the ready queue needs a look now and then. */
    private static final long PATROL_WITHOUT_TTL = TimeUnit.MILLISECONDS.toNanos(100);

    private static final GroupLimits UNLIMITED =
            new GroupLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    private final Function<String, GroupLimits> limitsOf;
    private final long idleTtl;
    private final PeriodicSweep idleSweep;
    private final ConcurrentHashMap<String, Group> groups = new ConcurrentHashMap<>(64);
    private final DispatcherCounters counters;

    /** Home of the tickets that run without a place: it has no cap and is not in the map. */
    private final Group detached;

    /** How often something happened that may change how limits are resolved. */
    private final AtomicInteger changes = new AtomicInteger();

    private final Set<Runnable> onClose = ConcurrentHashMap.newKeySet();
    private final CountDownLatch terminated = new CountDownLatch(1);
    private volatile boolean pruneWanted;
    private volatile boolean closed;
    private volatile boolean stopped;

    /** @param limitsOf resolves a group's limits when it is first used; must not throw */
    public Dispatcher(
            Function<String, GroupLimits> limitsOf,
            DispatcherConfig setup,
            ReadyQueue ready,
            TaskRunner runner,
            Timer timer) {
        super(setup, ready, runner, timer);
        this.limitsOf = limitsOf;
        this.idleTtl = setup.idleTtlNanos();
        this.idleSweep = new PeriodicSweep(timer, sweepPeriod(idleTtl), this::sweepIdle, this::sweepNeeded);
        this.detached = new Group("detached", UNLIMITED, this, runner.named("detached"), false, true, true);
        this.counters = new DispatcherCounters(groups, detached);
        ready.onCapacity(this::dispatchAgain);
    }

    /** With nothing recorded, for which nobody waits. */
    public Dispatcher(
            Function<String, GroupLimits> limitsOf,
            int globalCap,
            int globalThreshold,
            long idleTtlNanos,
            ReadyQueue ready,
            TaskRunner runner,
            Timer timer) {
        this(
                limitsOf,
                new DispatcherConfig(globalCap, globalThreshold, idleTtlNanos, false, false),
                ready,
                runner,
                timer);
    }

    /** A quiet group leaves after its time to live plus at most one period, give or take the timer. */
    private static long sweepPeriod(long ttl) {
        return ttl == 0 ? PATROL_WITHOUT_TTL : Math.clamp(ttl / LOOKS_PER_TTL, SHORTEST_PATROL, LONGEST_PATROL);
    }

    // ---- tickets -------------------------------------------------------------------------------------------------

    /** Lets the ticket into the group {@code key}, or says why not. */
    public Admission submit(String key, KernelTask<?> ticket) {
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
                case STALE -> tryReresolve(group);
                case UNSETTLED -> settle(group);
                default -> {
                    return admission;
                }
            }
        }
        return Admission.CLOSED;
    }

    /** As {@link #submit}; but if there is no room in line the oldest waiting ticket of the group makes room. */
    public Admission submitDisplacing(String key, KernelTask<?> ticket) {
        Group emptied = null;
        boolean foundNone = false;
        for (; ; ) {
            Admission admission = submit(key, ticket);
            if (foundNone || !SubmitterQueue.isQueueFull(admission)) {
                if (emptied != null) {
                    emptied.retireIfDone();
                }
                return admission;
            }
            Group group = groups.get(key);
            foundNone = group == null || !group.displace(); // then the last one may just have started: once more
            emptied = foundNone ? emptied : group;
        }
    }

    /**
     * Turns away the oldest of those in line in a group.
     *
     * @return false if none is
     */
    public boolean displace(String key) {
        Group group = groups.get(key);
        if (group == null || !group.displace()) {
            return false;
        }
        group.retireIfDone();
        return true;
    }

    /**
     * As {@link #submit}; but if there is no room in line the calling thread waits for it, after those that came before it. Only
     * for a dispatcher whose setup says so.
     *
     * @return if there was no room for {@code nanos}, that
     * @throws InterruptedException if the thread was interrupted while it waited; the ticket was not let in
     */
    public Admission submitBlocking(String key, KernelTask<?> ticket, long nanos) throws InterruptedException {
        try {
            return Objects.requireNonNull(submitterQueue(), "the setup does not let anyone wait")
                    .submit(key, () -> submit(key, ticket), timer(), nanos);
        } finally {
            if (ticket.group() == null) {
                ticket.bind(groups.getOrDefault(key, detached)); // it never came to ask, but is counted all the same
            }
        }
    }

    /** False if something happened meanwhile that may change how they are resolved; then they are as they were. */
    private boolean tryReresolve(Group group) {
        int before = changes.get();
        return group.setLimits(limitsOf.apply(group.key()), () -> changes.get() == before);
    }

    private Group create(String key) {
        int before = changes.get();
        Group fresh = new Group(key, limitsOf.apply(key), this, idleTtl == 0, false);
        Group known = groups.putIfAbsent(key, fresh);
        if (known != null) {
            return known;
        }
        if (changes.get() == before) {
            fresh.settle();
        }
        if (closed) {
            fresh.close(); // a close that went through the map before it was in there has missed it
        } else if (sweepNeeded()) {
            idleSweep.schedule();
        }
        return fresh;
    }

    /**
     * The group is in the map, so from now on it is found by whoever changes its limits or brings a gate. What was changed before
     * that may have been missed: its limits are resolved once more. If that fails the next look at the group finds it fresh again.
     */
    private void settle(Group group) {
        if (tryReresolve(group)) {
            group.settle();
        }
    }

    /** Runs the ticket on a thread of its own without a place, under no limit; shutdown reaches it all the same. */
    public Admission submitDetached(KernelTask<?> ticket) {
        return detached.admit(ticket) == Admission.ADMITTED ? Admission.ADMITTED : Admission.CLOSED;
    }

    /** Shows every ticket of {@code key} that is in line or on a thread for the whole of the call, and maybe others. */
    public void forEachTask(String key, Consumer<KernelTask<?>> action) {
        Group group = groups.get(key);
        if (group != null) {
            group.forEachTask(action);
        }
    }

    /** Runs {@code work} off the calling thread, without a place; on it, if there is no other to be had. */
    public void spawn(Runnable work) {
        detached.spawn(work);
    }

    // ---- groups --------------------------------------------------------------------------------------------------

    /** Forgets the limits of {@code key}, so that its next use resolves them again. Nothing that runs or waits is disturbed. */
    public void evict(String key) {
        changes.incrementAndGet();
        Group group = groups.get(key);
        if (group != null) {
            group.forgetLimits();
        }
    }

    /** Stops all that runs and waits in {@code key}, and forgets its limits. */
    public void stopGroup(String key) {
        changes.incrementAndGet();
        Group group = groups.get(key);
        if (group != null) {
            List<KernelTask<?>> announced = group.stop("group shut down");
            group.forgetLimits();
            announced.forEach(KernelTask::awaitPublished);
        }
    }

    /** Cancels those of the tickets without a place that {@code which} is true of. */
    public void stopDetached(Predicate<KernelTask<?>> which) {
        detached.running().forEach(ticket -> {
            if (which.test(ticket)) {
                ticket.cancel(true, "group shut down");
            }
        });
    }

    /**
     * Changes the limits of a group, which what resolves them knows of already; what they leave room for starts at once. If the group
     * is not known, it gets them when it is.
     */
    public void changeLimits(String key, UnaryOperator<GroupLimits> change) {
        changes.incrementAndGet();
        Group group = groups.get(key);
        if (group != null) {
            group.changeLimits(change);
        }
    }

    /** Has the limits of a group resolved now, if it is known; what they leave room for starts at once. */
    public void reresolveLimits(String key) {
        changes.incrementAndGet();
        Group group = groups.get(key);
        while (group != null && !tryReresolve(group)) {
            group = groups.get(key);
        }
    }

    void retired(Group group, boolean inReadyQueue) {
        if (inReadyQueue) {
            retiredInReadyQueue();
        }
        forget(group);
    }

    /** There is a group in the ready queue that is no more. */
    void retiredInReadyQueue() {
        pruneWanted = true;
        idleSweep.schedule();
    }

    private void forget(Group group) {
        counters.remove(group);
        signalIfTerminated();
    }

    private boolean sweepNeeded() {
        return pruneWanted || (idleTtl > 0 && idleTtl != Long.MAX_VALUE && !groups.isEmpty());
    }

    private void sweepIdle() {
        long now = now();
        groups.values().forEach(group -> group.sweep(now, idleTtl));
        if (pruneWanted && globalLimiter() != null) {
            pruneWanted = false;
            pruneReadyQueue();
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** Takes no more tickets; what is here goes on. */
    public void close() {
        closed = true;
        groups.values().forEach(Group::close);
        detached.close();
        SubmitterQueue lobby = submitterQueue();
        if (lobby != null) {
            lobby.wakeAll();
        }
        onClose.forEach(Runnable::run);
        signalIfTerminated();
    }

    /** Has {@code action}, which must be short and may run twice, run at a {@link #close}, or now if that was before. */
    public void addOnClose(Runnable action) {
        onClose.add(action);
        if (closed) {
            action.run();
        }
    }

    /** Forgets an action that {@link #addOnClose} was given. */
    public void removeOnClose(Runnable action) {
        onClose.remove(action);
    }

    /** Takes no more tickets, and cancels all that is here. All of it has ended, for all who look, when this returns. */
    public void stop() {
        close();
        stopped = true;
        List<KernelTask<?>> announced = new ArrayList<>(detached.stop(EXECUTOR_SHUT_DOWN));
        groups.values().forEach(group -> announced.addAll(group.stop(EXECUTOR_SHUT_DOWN)));
        announced.forEach(KernelTask::awaitPublished);
    }

    /**
     * Takes no more tickets, lets those that are here end, and stops what is left after {@code nanos}, or when the calling thread is
     * interrupted, whose flag is then set again. Whether all ended by themselves.
     */
    public boolean drain(long nanos) {
        close();
        boolean ended = false;
        try {
            ended = awaitTermination(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stop();
        return ended;
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
            idleSweep.cancel();
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

    @Override
    Collection<Group> knownGroups() {
        return groups.values();
    }

    /** Places in use under the global cap, or -1 if there is no such cap. */
    public int globalInFlight() {
        GlobalLimiter g = globalLimiter();
        return g == null ? -1 : stopped ? 0 : g.inFlight();
    }

    /** Takes over what was counted for a group that is no more. */
    void takeOverCounts(Group group) {
        counters.takeOver(group);
    }

    /** What the tickets of all groups came to. */
    public DispatcherCounters counters() {
        return counters;
    }
}
