package io.github.kobe.demo;

import io.github.kobe.RetryPolicy;
import io.github.kobe.TaskContext;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.pool.WorkerPool;
import io.github.kobe.pool.WorkerPoolStats;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker pool under everything at once for a while: random submits, timeouts, tasks that ignore them, failures, cancels, resizes and
 * restarts. In the end every handle must be done, and no thread be left.
 */
public final class PoolSoak {

    private static final int MOST_WORKERS = 16;
    private static final int SUBMITTERS = 2;
    private static final int MOST_OPEN = 2000;
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);
    private static final String[] GROUPS = {"", "", "a", "b", "c"};

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final Queue<TaskHandle<?>> open = new ConcurrentLinkedQueue<>();
    private final AtomicInteger openCount = new AtomicInteger();
    private final AtomicLong submitted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicInteger restarts = new AtomicInteger();
    private final long seed;
    private final WorkerPool pool;
    private volatile boolean over;

    PoolSoak(long seed) {
        this.seed = seed;
        this.pool = WorkerPool.builder()
                .name("soak")
                .minWorkers(1)
                .maxWorkers(4)
                .keepAlive(Duration.ofMillis(5))
                .grace(Duration.ofMillis(2))
                .maxZombies(4)
                .threads(this::thread)
                .build();
    }

    /** One argument: for how many seconds, 60 if there is none. Ends with 0 if all went well. */
    public static void main(String[] args) throws InterruptedException {
        int seconds = args.length == 0 ? 60 : Integer.parseInt(args[0]);
        boolean fine = new PoolSoak(System.nanoTime()).run(Duration.ofSeconds(seconds), System.out);
        System.exit(fine ? 0 : 1);
    }

    private Thread thread(Runnable work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } finally {
                threads.remove(Thread.currentThread());
            }
        });
        thread.setDaemon(true);
        threads.add(thread);
        return thread;
    }

    boolean run(Duration time, PrintStream out) throws InterruptedException {
        List<Thread> actors = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < SUBMITTERS; i++) {
            actors.add(actor(random.split(), this::submitOrCancel));
        }
        actors.add(actor(random.split(), this::resize));
        actors.add(actor(random.split(), this::restart));
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
        over = true;
        for (Thread actor : actors) {
            actor.join();
        }
        pool.shutdown();
        return verdict(out);
    }

    private interface Act {
        void once(SplittableRandom random);
    }

    private Thread actor(SplittableRandom random, Act act) {
        return Thread.ofPlatform().start(() -> {
            while (!over) {
                act.once(random);
            }
        });
    }

    // ---- what happens --------------------------------------------------------------------------------------------

    private void submitOrCancel(SplittableRandom random) {
        if (openCount.get() > MOST_OPEN) {
            forgetDone();
            LockSupport.parkNanos(100_000);
            return;
        }
        try {
            TaskHandle<?> handle = submit(random);
            submitted.incrementAndGet();
            open.add(handle);
            openCount.incrementAndGet();
            if (random.nextInt(10) == 0) {
                handle.cancel(random.nextBoolean());
            }
        } catch (IllegalStateException betweenShutdownAndRestart) {
            refused.incrementAndGet();
            LockSupport.parkNanos(100_000);
        }
    }

    private TaskHandle<?> submit(SplittableRandom random) {
        String group = GROUPS[random.nextInt(GROUPS.length)];
        int kind = random.nextInt(100);
        TaskOptions options = options(random, kind);
        return group.isEmpty()
                ? pool.submit(context -> work(context, kind), options)
                : pool.submit(group, context -> work(context, kind), options);
    }

    private static TaskOptions options(SplittableRandom random, int kind) {
        TaskOptions.Builder options = TaskOptions.builder().priority(random.nextInt(10));
        if (kind < 4) {
            options.timeout(Duration.ofMillis(1 + random.nextInt(3)));
        } else if (kind < 8) {
            options.maxQueueTime(Duration.ofMillis(1 + random.nextInt(5)));
        } else if (kind < 12) {
            options.retry(RetryPolicy.attempts(3));
        }
        return options.build();
    }

    /** Some take too long and notice, few do not notice, some fail. */
    private static Object work(TaskContext context, int kind) {
        if (kind == 0) {
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(10);
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
        } else if (kind < 4) {
            while (!context.isCancelled()) {
                Thread.onSpinWait();
            }
        } else if (kind < 15) {
            if (kind % 2 == 0) {
                throw new IllegalStateException("planned");
            }
            throw new AssertionError("planned");
        }
        return kind;
    }

    private void resize(SplittableRandom random) {
        pool.setMaxWorkers(1 + random.nextInt(MOST_WORKERS));
        LockSupport.parkNanos(random.nextInt(2_000_000));
    }

    private void restart(SplittableRandom random) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50 + random.nextInt(100)));
        switch (random.nextInt(3)) {
            case 0 -> pool.shutdown();
            case 1 -> pool.shutdown(Duration.ofMillis(random.nextInt(5)));
            default -> pool.shutdownNow();
        }
        pool.restart();
        restarts.incrementAndGet();
    }

    // ---- the verdict ---------------------------------------------------------------------------------------------

    private int forgetDone() {
        int forgotten = 0;
        for (var handles = open.iterator(); handles.hasNext(); ) {
            if (handles.next().isDone()) {
                handles.remove();
                forgotten++;
            }
        }
        openCount.addAndGet(-forgotten);
        return open.size();
    }

    private boolean verdict(PrintStream out) {
        long start = System.nanoTime();
        int notDone = forgetDone();
        while (!threads.isEmpty() && System.nanoTime() - start < PATIENCE) {
            LockSupport.parkNanos(1_000_000); // those that were stopped, and a last few steps
        }
        WorkerPoolStats stats = pool.stats();
        var counts = stats.lifetimeCounts();
        long ended = counts.succeeded() + counts.failed() + counts.cancelled() + counts.rejected();
        boolean fine =
                notDone == 0 && threads.isEmpty() && counts.submitted() == submitted.get() && ended == submitted.get();
        out.println(submitted + " tasks, " + restarts + " restarts, " + refused + " refused in between: " + counts);
        out.println((fine ? "Every handle is done, and no thread is left." : "Something is left: ")
                + (fine ? "" : notDone + " handles, " + threads.size() + " threads, seed " + seed));
        return fine;
    }
}
