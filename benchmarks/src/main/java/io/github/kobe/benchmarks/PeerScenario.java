package io.github.kobe.benchmarks;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** What contenders are compared by. Those that have no way to do it are left out. */
enum PeerScenario {
    MANY_GROUPS(
            "300 groups of limit 2",
            Unit.NANOS,
            EnumSet.complementOf(EnumSet.of(Peer.LIMITS)),
            2,
            PeerScenario::manyGroups),
    LONG_LINE("a line of 100,000", Unit.NANOS, waiting(), 1, PeerScenario::longLine),
    CALL("call, room", Unit.NANOS, callingWithRoom(), 8, PeerScenario::callInTurn),
    CROWDED_CALL("call of 1 ms, crowded", Unit.MICROS, calling(), PeerScenario.CROWDED, PeerScenario::callAtOnce),
    LIGHT_TENANT(
            "p99 wait behind 8,000",
            Unit.MILLIS,
            EnumSet.of(Peer.SEMAPHORE, Peer.POOL, Peer.RESILIENCE),
            16,
            new WaitBehind(8_000, 1, 4, 0.99)),
    WAITING_HEAP("heap of a waiting task", Unit.BYTES, waiting(), 1, QueuedHeap.of(50_000));

    private static final int GROUPS = 300;
    private static final int TASKS_OF_MANY = 30_000;
    private static final int TASKS = 100_000;
    private static final int CALLS = 200_000;
    private static final int CROWDED = 8;
    private static final int CALLERS = 64;
    private static final int CALLS_EACH = 20;

    private final String title;
    private final Unit unit;
    private final Set<Peer> peers;
    private final int limit;
    private final Workload work;

    PeerScenario(String title, Unit unit, Set<Peer> peers, int limit, Workload work) {
        this.title = title;
        this.unit = unit;
        this.peers = peers;
        this.limit = limit;
        this.work = work;
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

    private static Set<Peer> waiting() {
        return EnumSet.of(Peer.SEMAPHORE, Peer.POOLS, Peer.RESILIENCE, Peer.RESILIENCE_POOLS, Peer.FAILSAFE);
    }

    private static Set<Peer> calling() {
        return EnumSet.of(Peer.SEMAPHORE, Peer.RESILIENCE, Peer.FAILSAFE);
    }

    private static Set<Peer> callingWithRoom() {
        return EnumSet.of(Peer.SEMAPHORE, Peer.RESILIENCE, Peer.FAILSAFE, Peer.LIMITS);
    }

    /** All sides in turns; what each round cost each is reported under its name, but for those that do not come to an end. */
    void run(int warmups, int rounds) throws InterruptedException {
        Rounds sides = new Rounds().leavingOutWhatFails().side(Library.NAME, this::ours);
        if (peers.contains(Peer.CAMELLIA)) {
            sides.side(LibraryTenants.NAME, LibraryTenants::new);
        }
        peers.forEach(peer -> sides.side(peer.name(), () -> open(peer)));
        sides.run(warmups, rounds, work);
        sides.report();
    }

    /** A limit that both tenants share is a global one here; elsewhere both are made to be one group. */
    private Contender ours() {
        return this == LIGHT_TENANT
                ? Library.with(policy ->
                                policy.defaultMaxConcurrencyPerGroup(limit).globalMaxInFlight(limit))
                        .get()
                : Library.ofLimit(limit).get();
    }

    private Contender open(Peer peer) {
        Contender contender = peer.open(limit, shortLine() ? GROUPS : TASKS + 1);
        return this == LIGHT_TENANT && peer != Peer.CAMELLIA ? new Together(contender) : contender;
    }

    private boolean shortLine() {
        return this == MANY_GROUPS || this == CALL || this == CROWDED_CALL;
    }

    // ---- work ----------------------------------------------------------------------------------------------------

    private static double manyGroups(Contender contender) throws InterruptedException {
        String[] keys = Arrays.copyOf(Dispatch.keys(), GROUPS);
        submitInTurn(contender, keys, 2 * GROUPS); // who has threads of its own has them now
        return submitInTurn(contender, keys, TASKS_OF_MANY) / TASKS_OF_MANY;
    }

    private static double submitInTurn(Contender contender, String[] keys, int tasks) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(tasks);
        Callable<Boolean> task = countingDown(left);
        long start = System.nanoTime();
        for (int i = 0; i < tasks; i++) {
            contender.submit(keys[i % keys.length], task);
        }
        Await.zero(left);
        return System.nanoTime() - start;
    }

    private static double longLine(Contender contender) throws InterruptedException {
        return Drain.nanosWhenQueued(contender, TASKS) / TASKS;
    }

    private static double callInTurn(Contender contender) {
        Caller caller = (Caller) contender;
        String[] keys = Dispatch.keys();
        Callable<Boolean> task = () -> true;
        long start = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            call(caller, keys[i % keys.length], task);
        }
        return (System.nanoTime() - start) / (double) CALLS;
    }

    /** Callers block while they have their place, so that most of the others find none. */
    private static double callAtOnce(Contender contender) throws InterruptedException {
        Caller caller = (Caller) contender;
        CountDownLatch left = new CountDownLatch(CALLERS);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Callable<Boolean> task = () -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            Thread.sleep(1);
            running.decrementAndGet();
            return true;
        };
        long start = System.nanoTime();
        for (int i = 0; i < CALLERS; i++) {
            Thread.startVirtualThread(() -> {
                for (int times = 0; times < CALLS_EACH; times++) {
                    call(caller, "group", task);
                }
                left.countDown();
            });
        }
        Await.zero(left);
        double cost = (System.nanoTime() - start) / 1000.0 / (CALLERS * CALLS_EACH);
        if (most.get() > CROWDED) {
            throw new IllegalStateException(most + " at once under a limit of " + CROWDED);
        }
        return cost;
    }

    private static void call(Caller caller, String group, Callable<?> task) {
        try {
            caller.call(group, task);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Callable<Boolean> countingDown(CountDownLatch left) {
        return () -> {
            left.countDown();
            return true;
        };
    }
}
