package io.github.kobe.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The cast of a round, and its waves. */
final class SoakRound {

    /** What may come on top of the threads that there were: actors, workers, and the pools that scopes are given. */
    private static final int MOST_THREADS = 200;

    private final List<FaceWorkload> groups;
    private final FaceWorkload scopes;
    private final FaceWorkload pool;
    private final FaceWorkload isolation;
    private final Recorder recorder;
    private final Watchdog patience;
    private volatile boolean over;

    SoakRound(
            List<FaceWorkload> groups,
            FaceWorkload scopes,
            FaceWorkload pool,
            FaceWorkload isolation,
            Recorder recorder,
            Watchdog patience) {
        this.groups = groups;
        this.scopes = scopes;
        this.pool = pool;
        this.isolation = isolation;
        this.recorder = recorder;
        this.patience = patience;
    }

    List<FaceWorkload> faces() {
        List<FaceWorkload> all = new ArrayList<>(groups);
        all.add(scopes);
        all.add(pool);
        all.add(isolation);
        return all;
    }

    /** Returns whether it came to rest. */
    boolean wave(Duration time, RandomSource random, boolean last) throws InterruptedException {
        over = false;
        List<Thread> actors = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            actors.add(actor("" + i, groups, random));
            actors.add(actor("scope-" + i, List.of(scopes), random));
        }
        actors.add(actor("pool", List.of(pool), random));
        actors.add(actor("isolation", List.of(isolation), random));
        Thread turmoil = turmoil(random.split(), last ? time.dividedBy(2) : Duration.ofDays(1));
        disturbUntil(System.nanoTime() + time.toNanos(), actors, random);
        over = true;
        return comesToRest(turmoil, actors);
    }

    private Thread actor(String name, List<FaceWorkload> faces, RandomSource random) {
        return new WorkloadThread(name, faces, FaceWorkload::load, random.split(), recorder, () -> over).start();
    }

    /** One thread does all that is done to the faces, in the end their shutdown. */
    private Thread turmoil(RandomSource random, Duration untilShutDown) {
        long since = System.nanoTime();
        RandomSource last = random.split();
        WorkloadThread actor = new WorkloadThread("turmoil", faces(), FaceWorkload::turmoil, random, recorder, () -> {
            LockSupport.parkNanos(50_000);
            return over || System.nanoTime() - since > untilShutDown.toNanos();
        });
        return Thread.ofPlatform().name("actor-turmoil").daemon().start(() -> {
            actor.run();
            if (untilShutDown.toDays() == 0) {
                faces().forEach(face -> face.shutDown(last));
            }
        });
    }

    /** Interrupts actors now and then, wherever they are. */
    private void disturbUntil(long end, List<Thread> actors, RandomSource random) throws InterruptedException {
        boolean counted = false;
        while (System.nanoTime() - end < 0) {
            TimeUnit.MICROSECONDS.sleep(random.between(100, 4000));
            random.oneOf(actors).interrupt();
            recorder.countOperation("interrupt of an actor");
            if (!counted) {
                counted = true;
                checkThreads(recorder, Footprint.countPlatformThreads());
            }
        }
    }

    static void checkThreads(Recorder recorder, int threads) {
        recorder.check(
                Check.THREADS_BOUNDED,
                threads < MOST_THREADS,
                0,
                () -> threads + " platform threads:\n" + Footprint.threadDump());
    }

    private boolean comesToRest(Thread turmoil, List<Thread> actors) {
        boolean quiet = ended(List.of(turmoil));
        faces().forEach(FaceWorkload::appease);
        quiet &= ended(actors);
        for (FaceWorkload face : faces()) {
            boolean rests = patience.await(Check.BECOMES_IDLE, face.name() + " at rest", face::isAtRest, face::state);
            if (rests) {
                face.checkAtRest();
            }
            quiet &= rests;
        }
        return quiet && checkRoster(recorder, patience);
    }

    static boolean checkRoster(Recorder recorder, Watchdog patience) {
        return patience.await(
                Check.NO_THREAD_LEFT,
                "the end of the threads of tasks",
                () -> recorder.taskThreads().aliveCount() == 0,
                () -> recorder.taskThreads().aliveCount() + " are alive:"
                        + recorder.taskThreads().stackTraces());
    }

    private boolean ended(List<Thread> threads) {
        return patience.await(
                Check.BECOMES_IDLE,
                "the end of actors",
                () -> threads.stream().noneMatch(Thread::isAlive),
                () -> threads.stream().filter(Thread::isAlive).toList() + " are at work; "
                        + faces().stream().map(FaceWorkload::state).toList());
    }
}
