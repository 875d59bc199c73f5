package io.github.kobe.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The workloads of one round. Runs waves of load on them. */
final class SoakRound {

    /** The most platform threads under load: workload threads, workers, and the thread pools of scopes. */
    private static final int MAX_THREADS = 200;

    private final List<? extends FaceWorkload> groups;
    private final FaceWorkload scopes;
    private final FaceWorkload pool;
    private final FaceWorkload isolation;
    private final CheckRecorder recorder;
    private final Watchdog watchdog;
    private volatile boolean stopped;

    SoakRound(
            List<? extends FaceWorkload> groups,
            FaceWorkload scopes,
            FaceWorkload pool,
            FaceWorkload isolation,
            CheckRecorder recorder,
            Watchdog watchdog) {
        this.groups = groups;
        this.scopes = scopes;
        this.pool = pool;
        this.isolation = isolation;
        this.recorder = recorder;
        this.watchdog = watchdog;
    }

    List<FaceWorkload> workloads() {
        List<FaceWorkload> workloads = new ArrayList<>(groups);
        workloads.add(scopes);
        workloads.add(pool);
        workloads.add(isolation);
        return workloads;
    }

    /**
     * Runs one wave of load, waits until every face is idle and checks it.
     *
     * @param last whether the faces are shut down in the middle of the wave
     * @return false if a face did not become idle
     */
    boolean runWave(Duration time, RandomSource random, boolean last) throws InterruptedException {
        stopped = false;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            threads.add(startThread("" + i, groups, random));
            threads.add(startThread("scope-" + i, List.of(scopes), random));
        }
        threads.add(startThread("pool", List.of(pool), random));
        threads.add(startThread("isolation", List.of(isolation), random));
        Thread admin = startAdminThread(random.split(), last ? time.dividedBy(2) : Duration.ofDays(1));
        interruptAtRandom(System.nanoTime() + time.toNanos(), threads, random);
        stopped = true;
        return awaitIdle(admin, threads);
    }

    private Thread startThread(String name, List<? extends FaceWorkload> workloads, RandomSource random) {
        return new WorkloadThread(name, workloads, FaceWorkload::operations, random.split(), recorder, () -> stopped)
                .start();
    }

    /** Starts the one thread that performs the admin operations of all faces. In the last wave it finally shuts them down. */
    private Thread startAdminThread(RandomSource random, Duration timeUntilShutdown) {
        long start = System.nanoTime();
        RandomSource shutdownRandom = random.split();
        WorkloadThread admin =
                new WorkloadThread("admin", workloads(), FaceWorkload::adminOperations, random, recorder, () -> {
                    LockSupport.parkNanos(50_000);
                    return stopped || System.nanoTime() - start > timeUntilShutdown.toNanos();
                });
        return Thread.ofPlatform().name("workload-admin").daemon().start(() -> {
            admin.run();
            if (timeUntilShutdown.toDays() == 0) {
                workloads().forEach(workload -> workload.shutDown(shutdownRandom));
            }
        });
    }

    private void interruptAtRandom(long deadline, List<Thread> threads, RandomSource random)
            throws InterruptedException {
        boolean threadsChecked = false;
        while (System.nanoTime() - deadline < 0) {
            TimeUnit.MICROSECONDS.sleep(random.between(100, 4000));
            random.oneOf(threads).interrupt();
            recorder.countOperation("interrupt of a workload thread");
            if (!threadsChecked) {
                threadsChecked = true;
                checkThreadCount(recorder, Footprint.countPlatformThreads());
            }
        }
    }

    static void checkThreadCount(CheckRecorder recorder, int threads) {
        recorder.check(
                Check.THREADS_BOUNDED,
                threads < MAX_THREADS,
                0,
                () -> threads + " platform threads:\n" + Footprint.threadDump());
    }

    private boolean awaitIdle(Thread admin, List<Thread> threads) {
        boolean allIdle = awaitEnd(List.of(admin));
        workloads().forEach(FaceWorkload::unblock);
        allIdle &= awaitEnd(threads);
        for (FaceWorkload workload : workloads()) {
            boolean idle = watchdog.await(
                    Check.BECOMES_IDLE, workload.name() + " to be idle", workload::isIdle, workload::diagnostics);
            if (idle) {
                workload.checkIdle();
            }
            allIdle &= idle;
        }
        return allIdle && checkTaskThreads(recorder, watchdog);
    }

    /** Checks that the threads of completed tasks terminate. */
    static boolean checkTaskThreads(CheckRecorder recorder, Watchdog watchdog) {
        ThreadTracker taskThreads = recorder.taskThreads();
        return watchdog.await(
                Check.NO_THREAD_LEFT,
                "the task threads to terminate",
                () -> taskThreads.aliveCount() == 0,
                () -> taskThreads.aliveCount() + " are alive:" + taskThreads.stackTraces());
    }

    private boolean awaitEnd(List<Thread> threads) {
        return watchdog.await(
                Check.BECOMES_IDLE,
                "the workload threads to terminate",
                () -> threads.stream().noneMatch(Thread::isAlive),
                () -> threads.stream().filter(Thread::isAlive).toList() + " are alive; "
                        + workloads().stream().map(FaceWorkload::diagnostics).toList());
    }
}
