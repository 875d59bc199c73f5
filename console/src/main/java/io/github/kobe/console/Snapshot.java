package io.github.kobe.console;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupExecutorStats;
import io.github.kobe.GroupLoad;
import io.github.kobe.GroupStats;
import io.github.kobe.LiveSettings;
import io.github.kobe.LiveSharedLimit;
import io.github.kobe.SharedLimitStats;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.fleet.FleetGroupStats;
import io.github.kobe.fleet.FleetSharedLimitStats;
import io.github.kobe.fleet.FleetStats;
import io.github.kobe.fleet.FleetView;
import io.github.kobe.isolation.IsolationExecutor;
import io.github.kobe.isolation.IsolationStats;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.pool.WorkerPoolStats;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the executors do, read once for all clients. A part is read when the first client asks for it, so nothing is read that no client shows. Refers to
 * keys and numbers, not to groups: it keeps no group alive.
 *
 * <p>Thread-safe. A thread that waits for a part which another one reads is parked, and does not pin the carrier of a virtual thread: tasks of the
 * application run on the same carriers.
 */
final class Snapshot {

    /**
     * A group executor.
     *
     * @param loads all groups that it knows
     * @param live the settings made at run time, by group
     */
    record Groups(
            GroupExecutor executor, GroupExecutorStats stats, List<GroupLoad> loads, Map<String, LiveSettings> live) {}

    /**
     * The shared limits of a group executor.
     *
     * @param stats the values that groups belong to
     * @param live the settings made at run time, by {@link SharedTable#textOf}
     */
    record Shared(GroupExecutor executor, List<SharedLimitStats> stats, Map<String, LiveSharedLimit> live) {}

    /** An isolation executor. */
    record Isolation(IsolationExecutor executor, IsolationStats stats) {}

    /**
     * A fleet.
     *
     * @param groups what this JVM has of each group
     * @param sharedLimits the same of each value of a shared limit
     */
    record FleetPart(
            Fleet fleet, FleetStats stats, List<FleetGroupStats> groups, List<FleetSharedLimitStats> sharedLimits) {}

    /** A worker pool. */
    record Pool(WorkerPool pool, WorkerPoolStats stats) {}

    /** A part, and the lock that it is read under. */
    private final class Part<T> {
        private final ReentrantLock lock = new ReentrantLock();
        private final Supplier<List<T>> reader;
        private @Nullable List<T> read; // guarded by the lock

        Part(Supplier<List<T>> reader) {
            this.reader = reader;
        }

        List<T> get() {
            lock.lock();
            try {
                List<T> known = read;
                if (known == null) {
                    long start = System.nanoTime();
                    known = reader.get();
                    read = known;
                    addCost(System.nanoTime() - start);
                }
                return known;
            } finally {
                lock.unlock();
            }
        }
    }

    private final long takenAt;
    private final long wallMillis;
    private final Part<Groups> groups;
    private final Part<Shared> shared;
    private final Part<Pool> pools;
    private final Part<Isolation> isolation;
    private final Part<FleetPart> fleets;
    private final Map<GroupExecutor, Map<String, Optional<GroupStats>>> rows = new ConcurrentHashMap<>();
    private final Map<WaitingAt, Set<String>> waiting = new ConcurrentHashMap<>();
    private final Map<LookOf, CompletableFuture<FleetView>> looks = new ConcurrentHashMap<>();
    private volatile long costNanos;

    /** @param takenAt the time of the clock that says how old it is, in nanoseconds */
    Snapshot(Watched watched, long takenAt) {
        this.takenAt = takenAt;
        this.wallMillis = System.currentTimeMillis();
        this.groups =
                new Part<>(() -> watched.groups().stream().map(Snapshot::read).toList());
        this.shared = new Part<>(
                () -> watched.groups().stream().map(Snapshot::readShared).toList());
        this.pools = new Part<>(() -> watched.pools().stream()
                .map(pool -> new Pool(pool, pool.stats()))
                .toList());
        this.isolation = new Part<>(() -> watched.isolation().stream()
                .map(executor -> new Isolation(executor, executor.stats()))
                .toList());
        this.fleets = new Part<>(() -> watched.fleets().stream()
                .map(fleet -> new FleetPart(
                        fleet,
                        fleet.stats(),
                        fleet.groups().toList(),
                        fleet.sharedLimits().toList()))
                .toList());
    }

    private static Groups read(GroupExecutor executor) {
        List<GroupLoad> loads = new ArrayList<>();
        GroupExecutorStats stats = executor.stats(loads::add);
        return new Groups(executor, stats, loads, executor.liveSettings());
    }

    private static Shared readShared(GroupExecutor executor) {
        Map<String, LiveSharedLimit> live = new HashMap<>();
        executor.liveSharedLimits().forEach(made -> live.put(SharedTable.textOf(made.name(), made.value()), made));
        return new Shared(executor, executor.sharedLimits(), live);
    }

    private synchronized void addCost(long nanos) {
        costNanos += nanos;
    }

    long takenAt() {
        return takenAt;
    }

    long wallMillis() {
        return wallMillis;
    }

    /** Returns how long it took to read what was read so far. */
    long costNanos() {
        return costNanos;
    }

    List<Groups> groups() {
        return groups.get();
    }

    List<Shared> shared() {
        return shared.get();
    }

    /** Returns the groups that wait for a value of a shared limit, read once. */
    Set<String> waitingFor(GroupExecutor executor, SharedLimitStats limit) {
        return waiting.computeIfAbsent(
                new WaitingAt(executor, limit.name(), limit.value()),
                at -> at.executor.groupsWaitingFor(at.name, at.value));
    }

    /** Where groups wait. */
    private record WaitingAt(GroupExecutor executor, String name, String value) {}

    List<Pool> pools() {
        return pools.get();
    }

    List<Isolation> isolation() {
        return isolation.get();
    }

    List<FleetPart> fleets() {
        return fleets.get();
    }

    /**
     * Returns what the store of a fleet says of some groups, asked once for all clients that show the same.
     *
     * @return completes soon, exceptionally if the store does not answer
     */
    CompletableFuture<FleetView> look(Fleet fleet, List<String> groupKeys) {
        return looks.computeIfAbsent(
                new LookOf(fleet, "", groupKeys), asked -> fleet.look(groupKeys).orTimeout(1, TimeUnit.SECONDS));
    }

    /** As {@link #look}, of some values of a shared limit. */
    CompletableFuture<FleetView> lookAtSharedLimit(Fleet fleet, String name, List<String> values) {
        return looks.computeIfAbsent(
                new LookOf(fleet, name, values),
                asked -> fleet.lookAtSharedLimit(name, values).orTimeout(1, TimeUnit.SECONDS));
    }

    /**
     * What was asked.
     *
     * @param sharedLimit its name, which is not blank; empty for groups
     */
    private record LookOf(Fleet fleet, String sharedLimit, List<String> keys) {}

    /** Returns the statistics of a group, read once; empty if it is not known. */
    Optional<GroupStats> groupStats(GroupExecutor executor, String key) {
        return rows.computeIfAbsent(executor, e -> new ConcurrentHashMap<>())
                .computeIfAbsent(key, executor::groupStats);
    }
}
