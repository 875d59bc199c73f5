package io.github.kobe.benchmarks;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** The workloads for the comparison with other libraries. A peer that does not support a workload is left out. */
enum PeerWorkload {
    MANY_GROUPS(
            "300 groups of limit 2",
            Unit.NANOS,
            EnumSet.complementOf(EnumSet.of(Peer.CONCURRENCY_LIMITS)),
            2,
            PeerWorkload::manyGroups),
    LONG_QUEUE("a queue of 100,000", Unit.NANOS, queueing(), 1, PeerWorkload::longQueue),
    CALL("call below the limit", Unit.NANOS, callingBelowLimit(), 8, PeerWorkload::callInTurn),
    CONTENDED_CALL(
            "call of 1 ms at the limit",
            Unit.MICROS,
            calling(),
            PeerWorkload.CONTENDED_LIMIT,
            PeerWorkload::callConcurrently),
    LIGHT_TENANT(
            "p99 wait behind 8,000 queued tasks",
            Unit.MILLIS,
            EnumSet.of(Peer.SEMAPHORE, Peer.SHARED_THREAD_POOL, Peer.RESILIENCE4J),
            16,
            new BacklogWait(8_000, 1, 4, 0.99)),
    QUEUED_HEAP("heap of a queued task", Unit.BYTES, queueing(), 1, QueuedTaskHeap.workload(50_000));

    private static final int GROUPS = 300;
    private static final int TASKS_OF_MANY_GROUPS = 30_000;
    private static final int TASKS = 100_000;
    private static final int CALLS = 200_000;
    private static final int CONTENDED_LIMIT = 8;
    private static final int CALLERS = 64;
    private static final int CALLS_PER_CALLER = 20;

    private final String title;
    private final Unit unit;
    private final Set<Peer> peers;
    private final int limit;
    private final Workload workload;

    PeerWorkload(String title, Unit unit, Set<Peer> peers, int limit, Workload workload) {
        this.title = title;
        this.unit = unit;
        this.peers = peers;
        this.limit = limit;
        this.workload = workload;
    }

    String title() {
        return title;
    }

    Unit unit() {
        return unit;
    }

    Set<Peer> peers() {
        return peers;
    }

    private static Set<Peer> queueing() {
        return EnumSet.of(Peer.SEMAPHORE, Peer.THREAD_POOLS, Peer.RESILIENCE4J, Peer.RESILIENCE4J_POOLS, Peer.FAILSAFE);
    }

    private static Set<Peer> calling() {
        return EnumSet.of(Peer.SEMAPHORE, Peer.RESILIENCE4J, Peer.FAILSAFE);
    }

    private static Set<Peer> callingBelowLimit() {
        return EnumSet.of(Peer.SEMAPHORE, Peer.RESILIENCE4J, Peer.FAILSAFE, Peer.CONCURRENCY_LIMITS);
    }

    /** In a forked JVM: runs all candidates and prints their costs. A candidate that does not complete its tasks is dropped. */
    void run(int warmups, int rounds) throws InterruptedException {
        InterleavedRounds candidates =
                new InterleavedRounds().dropFailing().add(GroupExecutorAdapter.NAME, this::openLibrary);
        if (peers.contains(Peer.CAMELLIA)) {
            candidates.add(
                    IsolationExecutorAdapter.NAME,
                    () -> new IsolationExecutorAdapter(policy -> policy.maxConcurrency(CamelliaAdapter.THREADS_PER_POOL)
                            .queueCapacity(1_000_000)));
        }
        peers.forEach(peer -> candidates.add(peer.name(), () -> open(peer)));
        candidates.run(warmups, rounds, workload);
        candidates.printCosts();
    }

    LibraryWorkload libraryWorkload() {
        LibraryWorkload library = LibraryWorkload.of(title, unit, 1, this::openLibrary, workload);
        return this == LIGHT_TENANT || this == QUEUED_HEAP ? library.withFewRounds() : library;
    }

    /** Two tenants share a global limit of this library. For peers both tenants are one group. */
    private ExecutorAdapter openLibrary() {
        return this == LIGHT_TENANT
                ? GroupExecutorAdapter.with(policy ->
                                policy.defaultMaxConcurrencyPerGroup(limit).globalMaxInFlight(limit))
                        .get()
                : GroupExecutorAdapter.withLimit(limit).get();
    }

    private ExecutorAdapter open(Peer peer) {
        ExecutorAdapter executor = peer.open(limit, hasShortQueue() ? GROUPS : TASKS + 1);
        return this == LIGHT_TENANT && peer != Peer.CAMELLIA ? new SharedGroupAdapter(executor) : executor;
    }

    private boolean hasShortQueue() {
        return this == MANY_GROUPS || this == CALL || this == CONTENDED_CALL;
    }

    // ---- workloads -----------------------------------------------------------------------------------------------

    private static double manyGroups(ExecutorAdapter executor) throws InterruptedException {
        String[] keys = Arrays.copyOf(Dispatch.keys(), GROUPS);
        Dispatch.submitAll(executor, keys, 2 * GROUPS); // starts the threads of executors that have their own
        return Dispatch.submitAll(executor, keys, TASKS_OF_MANY_GROUPS) / TASKS_OF_MANY_GROUPS;
    }

    private static double longQueue(ExecutorAdapter executor) throws InterruptedException {
        return Drain.nanosWhenAllAreQueued(executor, TASKS) / TASKS;
    }

    private static double callInTurn(ExecutorAdapter executor) {
        String[] keys = Dispatch.keys();
        Callable<Boolean> task = () -> true;
        long start = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            call(executor, keys[i % keys.length], task);
        }
        return (System.nanoTime() - start) / (double) CALLS;
    }

    /** Callers block while they hold a permit, so that most of the others have to wait. */
    private static double callConcurrently(ExecutorAdapter executor) throws InterruptedException {
        CountDownLatch remaining = new CountDownLatch(CALLERS);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger peak = new AtomicInteger();
        Callable<Boolean> task = () -> {
            peak.accumulateAndGet(running.incrementAndGet(), Math::max);
            Thread.sleep(1);
            running.decrementAndGet();
            return true;
        };
        long start = System.nanoTime();
        for (int i = 0; i < CALLERS; i++) {
            Thread.startVirtualThread(() -> {
                for (int call = 0; call < CALLS_PER_CALLER; call++) {
                    call(executor, "group", task);
                }
                remaining.countDown();
            });
        }
        Await.zero(remaining);
        double cost = (System.nanoTime() - start) / 1000.0 / (CALLERS * CALLS_PER_CALLER);
        if (peak.get() > CONTENDED_LIMIT) {
            throw new IllegalStateException(peak + " calls ran at the same time, the limit is " + CONTENDED_LIMIT);
        }
        return cost;
    }

    private static void call(ExecutorAdapter executor, String group, Callable<?> task) {
        try {
            executor.call(group, task);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
