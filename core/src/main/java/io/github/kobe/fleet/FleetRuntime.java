package io.github.kobe.fleet;

import io.github.kobe.internal.kernel.LeaseOwner;
import io.github.kobe.internal.kernel.PermitLeases;
import io.github.kobe.internal.kernel.SharedKey;
import io.github.kobe.internal.time.Timer;
import io.github.kobe.internal.util.Durations;
import io.github.kobe.internal.util.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A fleet at work: one thread takes events from an inbox, and drives the nodes. Hints of kernels only add to the inbox, so nobody who submits a task ever waits for the
 * store. The threads of the store take turns with the one of the fleet: the one that brings an answer, and the one that {@linkplain FleetStore.Connection#sender() sends}.
 *
 * <p><b>Bounded.</b> The inbox contains at most one entry for each open group, one for each call that is not answered, and {@link #MAX_PUSHES} pushes. Further pushes are
 * dropped; a node finds by their numbers that it has missed some.
 *
 * <p><b>Locks.</b> A thread holds {@link #lock} while it handles events, and calls kernels under it. Snapshots are taken under it too. Nothing that a kernel at work calls takes it,
 * and no virtual thread: while tasks use up all carriers, it could neither give the lock back, nor take it when it is first in the queue, and the lease would end.
 *
 * <p><b>No wake-up is lost.</b> A thread that adds an event sets {@link #signalled} afterwards. Who handles events clears it, then empties the inbox; the thread of the
 * fleet parks only if it is still clear. If the sender is told of an event instead, and does not come to its turn, the thread handles it when it is next due itself: with
 * the next heartbeat at the latest.
 */
final class FleetRuntime implements Fleet, LeaseOwner {

    static final int MAX_PUSHES = 1_000;

    private static final int MAX_EVENTS_AT_ONCE = 1_000;

    /** A timer that is due is not late by more than this, and one that makes no progress does not use up a core. */
    private static final long MIN_PARK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private final String name;
    private final Timer timer;
    private final NodeSettings settings;
    private final MemberSettings memberSettings;
    private final FleetStore.Connection connection;
    private final FleetControl control;
    private final Faults faults;

    private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    final AtomicBoolean signalled = new AtomicBoolean(); // whether events were added since the thread took some
    private final AtomicInteger pushes = new AtomicInteger(); // in the inbox
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final List<FleetMember> members = new ArrayList<>(); // under the lock, as what follows
    private long dueAt; // when there is something to do, if no event comes
    private long wakesAt; // when the thread wakes up by itself
    private boolean leaving; // as closing, once the members know
    private boolean isOver; // all members have left
    private long exchangesOfFormer; // of members that have left
    private long lostCallsOfFormer;

    private volatile boolean closing;
    private volatile boolean ended; // the thread
    private final CountDownLatch returned = new CountDownLatch(1);

    private FleetRuntime(
            String name,
            FleetStore store,
            IntFunction<NodeSettings> settings,
            MemberSettings memberSettings,
            Timer timer) {
        this.name = name;
        this.timer = timer;
        this.memberSettings = memberSettings;
        this.faults = new Faults(timer::nanoTime, () -> "fleet '" + name + "'");
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("fleet-" + name)
                .inheritInheritableThreadLocals(false)
                .unstarted(this::run);
        this.connection = store.connect(name, new Inbound());
        this.settings = settings.apply(connection.shards());
        this.control = new FleetControl(name, connection, this.settings, timer);
    }

    static FleetRuntime join(
            String name,
            FleetStore store,
            IntFunction<NodeSettings> settings,
            MemberSettings memberSettings,
            Timer timer) {
        FleetRuntime fleet = new FleetRuntime(name, store, settings, memberSettings, timer);
        fleet.thread.start();
        return fleet;
    }

    @Override
    public PermitLeases join(String executor) {
        if (closing) {
            throw new IllegalStateException(
                    "fleet '" + name + "' is closed, and executor '" + executor + "' cannot join");
        }
        return new FleetMember(executor, this, settings, memberSettings, now());
    }

    long now() {
        return timer.nanoTime();
    }

    FleetStore.Connection connection() {
        return connection;
    }

    /** Whether the calling thread handles events now. */
    boolean isOwnThread() {
        return lock.isHeldByCurrentThread();
    }

    boolean isClosing() {
        return closing;
    }

    // ---- the inbox -------------------------------------------------------------------------------------------------

    /** What the store says without being asked. */
    private final class Inbound implements FleetStore.Listener {
        @Override
        public void pushed(int shard, FleetPush push) {
            if (pushes.incrementAndGet() > MAX_PUSHES) {
                pushes.decrementAndGet();
                return;
            }
            handle(() -> {
                pushes.decrementAndGet();
                members.forEach(member -> member.sessions().get(shard).pushed(push));
            });
        }

        @Override
        public void available(int shard) {
            enqueue(() -> members.forEach(member -> member.sessions().get(shard).available()));
        }
    }

    void enqueue(Runnable event) {
        inbox.add(event);
        wake();
    }

    /** As {@link #enqueue}. If the thread has ended, the caller handles the event itself. Not for kernels at work, whose locks that could need. */
    private void enqueueOrHandle(Runnable event) {
        enqueue(event);
        if (ended) { // otherwise the thread has not, and looks once more when it has
            handleRest();
        }
    }

    private void handleRest() {
        lock.lock();
        try {
            step();
        } finally {
            lock.unlock();
        }
    }

    private void wake() {
        signalled.set(true);
        LockSupport.unpark(thread);
    }

    /** As {@link #enqueue}, for what comes often and makes a task wait: the sender of the store handles it, if there is one. */
    void hint(Runnable event) {
        if (ended) {
            return; // nothing is to be told to the store any more
        }
        inbox.add(event);
        if (!signalled.get() && signalled.compareAndSet(false, true) && !isLeftToSender()) {
            LockSupport.unpark(thread);
        }
    }

    private boolean isLeftToSender() {
        try {
            Executor sender = connection.sender();
            if (sender == null || lock.isHeldByCurrentThread()) {
                return false;
            }
            sender.execute(this::takeTurn);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // the store is closing
        } catch (Throwable fault) {
            faults.report("store", "sender", fault);
            return false;
        }
    }

    /** As {@link #enqueue}, for what the store says. The thread that brings it handles it: to wake one takes about as long as a call. */
    void handle(Runnable event) {
        inbox.add(event);
        if (lock.isHeldByCurrentThread()) {
            wake();
        } else {
            takeTurn();
        }
    }

    /**
     * Does the work of the thread once, unless another thread is at it: that one may have taken its last event, so the thread is to look again. A virtual thread
     * does not, because it could wait for a carrier with the lock.
     */
    private void takeTurn() {
        if (Thread.currentThread().isVirtual() || !lock.tryLock()) {
            wake();
            return;
        }
        boolean sleepsTooLong;
        try {
            step();
            sleepsTooLong = isOver || dueAt - wakesAt < 0;
        } finally {
            lock.unlock();
        }
        if (sleepsTooLong) {
            wake(); // without the lock, which the thread takes at once
        }
    }

    /** From now on the member takes part. */
    void add(FleetMember member) {
        enqueueOrHandle(() -> {
            members.add(member);
            if (closing) {
                member.leave();
            } else {
                member.sessions().forEach(ShardSession::join); // not with the first task, which would wait for it
            }
        });
    }

    private void run() {
        while (true) {
            lock.lock();
            try {
                step();
                if (isOver) {
                    break;
                }
                wakesAt = dueAt;
            } finally {
                lock.unlock();
            }
            if (!signalled.get()) {
                Thread.interrupted(); // a set interrupt flag would keep the thread from parking
                LockSupport.parkNanos(this, Math.max(wakesAt - now(), MIN_PARK_NANOS));
            }
        }
        ended = true;
        handleRest();
        try {
            connection.close();
        } catch (Throwable fault) {
            faults.report("store", "close", fault);
        }
        returned.countDown();
    }

    /** Handles what is in the inbox, and what is due. */
    private void step() {
        signalled.set(false);
        int handled = 0;
        for (Runnable event = inbox.poll(); event != null; event = inbox.poll()) {
            guarded("event", event);
            if (++handled >= MAX_EVENTS_AT_ONCE) {
                wake();
                break;
            }
        }
        long[] wait = {members.isEmpty() ? Long.MAX_VALUE : settings.heartbeat()}; // also if a session has a fault
        long now = now();
        for (FleetMember member : members) {
            for (ShardSession session : member.sessions()) {
                guarded("timer", () -> wait[0] = Math.min(wait[0], Math.max(1, session.advance(now))));
            }
        }
        if (members.stream().anyMatch(FleetMember::hasLeft)) {
            members.removeIf(this::removeIfLeft);
        }
        dueAt = now + Math.min(wait[0], Long.MAX_VALUE >> 1);
        if (leaving) {
            if (members.stream().allMatch(FleetMember::isSettled)) {
                returned.countDown();
            }
            isOver = members.isEmpty() && inbox.isEmpty();
        }
    }

    private boolean removeIfLeft(FleetMember member) {
        if (!member.hasLeft()) {
            return false;
        }
        for (ShardSession session : member.sessions()) {
            exchangesOfFormer += session.exchanges();
            lostCallsOfFormer += session.lostCalls();
        }
        return true;
    }

    private void guarded(String source, Runnable action) {
        try {
            action.run();
        } catch (Throwable fault) {
            faults.report(source, "node " + settings.node(), fault);
        }
    }

    // ---- reports ---------------------------------------------------------------------------------------------------

    /** Without a stack trace, unless the store has a bug: a store says by itself why it cannot be reached. */
    void storeFailed(FleetRequest request, @Nullable Throwable failure) {
        Throwable cause = failure;
        while (cause != null && cause.getCause() != null) { // never the throwable itself
            cause = cause.getCause();
        }
        boolean isBug = cause != null && cause.getClass().getPackageName().equals("java.lang");
        String call = request.getClass().getSimpleName();
        faults.warn(
                "a call of the store failed",
                cause == null || isBug ? call : call + ": " + cause,
                isBug ? cause : null);
    }

    /** Nothing starts meanwhile, which looks as if it hung. */
    void learns(String executor, long millis) {
        faults.note(
                "the store is new, or may have lost data: until all nodes have said what they hold, it grants nothing",
                "executor '" + executor + "' waits for " + Durations.text(Duration.ofMillis(millis)));
    }

    void wrongAnswer(FleetRequest request, FleetReply reply) {
        faults.report("store", request.getClass().getSimpleName(), "gave a wrong answer");
    }

    void leaseLost(String executor) {
        faults.warn("the lease is over, the store has not answered in time", "executor '" + executor + "'", null);
    }

    void refused(String reason) {
        faults.warn("the fleet does not accept this node", reason, null);
    }

    // ---- the public part -------------------------------------------------------------------------------------------

    /** Reads under the lock. Another thread does so for a virtual one. */
    private <T> T read(Supplier<T> reader) {
        if (Thread.currentThread().isVirtual()) {
            return CompletableFuture.supplyAsync(reader, this::enqueueOrHandle).join();
        }
        lock.lock();
        try {
            return reader.get();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String node() {
        return settings.node();
    }

    @Override
    public FleetControl control() {
        return control;
    }

    @Override
    public FleetStats stats() {
        return read(this::takeStats);
    }

    private FleetStats takeStats() {
        long now = now();
        Map<String, FleetGroupStats> groups = groupsByKey();
        FleetGroupStats sum = groups.values().stream()
                .filter(group -> !group.groupKey().isEmpty())
                .reduce(new FleetGroupStats("", Integer.MAX_VALUE, false, 0, 0, 0, 0), FleetGroupStats::plus);
        List<FleetStats.Session> sessions = new ArrayList<>();
        long exchanges = exchangesOfFormer;
        long lostCalls = lostCallsOfFormer;
        for (FleetMember member : members) {
            for (ShardSession session : member.sessions()) {
                sessions.add(session.stats(now));
                exchanges += session.exchanges();
                lostCalls += session.lostCalls();
            }
        }
        FleetStats.SharedLimits shared = new FleetStats.SharedLimits(0, 0, 0, 0, 0);
        for (FleetSharedLimitStats value : sharedLimitsByKey().values()) {
            shared = shared.plus(value);
        }
        int count = (int) groups.keySet().stream().filter(key -> !key.isEmpty()).count();
        return new FleetStats(
                name,
                settings.node(),
                sessions,
                count,
                sum.held(),
                sum.wanted(),
                sum.used(),
                sum.debt(),
                exchanges,
                lostCalls,
                faults.count(),
                shared);
    }

    @Override
    public Stream<FleetGroupStats> groups() {
        return read(() -> groupsByKey().values().stream());
    }

    private Map<String, FleetGroupStats> groupsByKey() {
        Map<String, FleetGroupStats> groups = new LinkedHashMap<>();
        Consumer<FleetGroupStats> add = stats -> groups.merge(stats.groupKey(), stats, FleetGroupStats::plus);
        for (FleetMember member : members) {
            member.sessions().forEach(session -> session.forEachGroup(add));
        }
        return groups;
    }

    @Override
    public Optional<FleetGroupStats> groupStats(String groupKey) {
        String group = FleetNames.ofGroup(Objects.requireNonNull(groupKey, "groupKey"));
        int shard = FleetNames.shardOf(group, settings.shards());
        return read(() -> members.stream()
                .map(member -> member.sessions().get(shard).statsOf(group))
                .filter(Objects::nonNull)
                .reduce(FleetGroupStats::plus));
    }

    @Override
    public Stream<FleetSharedLimitStats> sharedLimits() {
        return read(() -> sharedLimitsByKey().values().stream());
    }

    private Map<SharedKey, FleetSharedLimitStats> sharedLimitsByKey() {
        Map<SharedKey, FleetSharedLimitStats> limits = new LinkedHashMap<>();
        Consumer<FleetSharedLimitStats> add =
                stats -> limits.merge(new SharedKey(stats.name(), stats.value()), stats, FleetSharedLimitStats::plus);
        members.forEach(member -> member.sessions().forEach(session -> session.forEachSharedLimit(add)));
        return limits;
    }

    @Override
    public Optional<FleetSharedLimitStats> sharedLimitStats(String limit, String value) {
        String group = FleetNames.ofShared(FleetLook.sharedKey(limit, value));
        int shard = FleetNames.shardOf(group, settings.shards());
        return read(() -> members.stream()
                .map(member -> member.sessions().get(shard).statsOf(group))
                .filter(Objects::nonNull)
                .map(stats -> new FleetSharedLimitStats(limit, value, stats))
                .reduce(FleetSharedLimitStats::plus));
    }

    @Override
    public CompletableFuture<FleetView> look(Collection<String> groupKeys) {
        return FleetLook.groups(name, Objects.requireNonNull(groupKeys, "groupKeys"))
                .look(connection, settings);
    }

    @Override
    public CompletableFuture<FleetView> lookAtSharedLimit(String limit, Collection<String> values) {
        return FleetLook.sharedLimit(name, limit, Objects.requireNonNull(values, "values"))
                .look(connection, settings);
    }

    @Override
    public void close() {
        closing = true;
        enqueue(() -> {
            leaving = true;
            members.forEach(FleetMember::leave);
        });
        try {
            boolean done = returned.await(settings.ttl() / 4, TimeUnit.NANOSECONDS);
            if (!done) {
                faults.warn("permits are not returned yet", "node " + settings.node(), null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "Fleet[" + name + ", node " + settings.node() + (closing ? ", closed" : "") + "]";
    }
}
