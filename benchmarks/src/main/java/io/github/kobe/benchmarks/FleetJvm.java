package io.github.kobe.benchmarks;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.fleet.Fleet;
import io.github.kobe.redis.RedisStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * A JVM of the chapter {@code fleet}. It does what it is told by lines on its standard input, one after the other, and answers each with lines of a name and a
 * number, and an empty line.
 */
final class FleetJvm implements AutoCloseable {

    private static final String END = "";
    private static final int LARGE_BATCH = 20_000;
    private static final int SMALL_BATCH = 2_000;
    private static final String GROUP = "tenant";

    // ---- in the parent ---------------------------------------------------------------------------------------------

    private final Process process;
    private final BufferedReader answers;

    FleetJvm() throws IOException {
        List<String> command = new ArrayList<>(Fork.command(System.getProperty("java.class.path"), FleetJvm.class));
        command.removeIf(argument -> argument.startsWith("-Xm") || argument.equals("-XX:+AlwaysPreTouch"));
        command.addAll(1, List.of("-Xms512m", "-Xmx512m")); // several of them run at the same time
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        answers = process.inputReader(StandardCharsets.UTF_8);
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    }

    void tell(Object... words) throws IOException {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(word).append(' ');
        }
        process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
    }

    /** Waits until what it was told is done. */
    Map<String, Double> answer() throws IOException {
        Map<String, Double> values = new HashMap<>();
        for (String line = read(); !line.equals(END); line = read()) {
            String[] parts = line.split("\t", -1);
            values.put(parts[0], Double.valueOf(parts[1]));
        }
        return values;
    }

    private String read() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IllegalStateException("a JVM of the fleet has ended");
        }
        return line;
    }

    /** Kills it, as {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws IOException {
        process.outputWriter(StandardCharsets.UTF_8).close(); // it ends by itself
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    // ---- in the forked JVM -----------------------------------------------------------------------------------------

    /** Something that runs tasks under the limit. */
    private interface Candidate extends AutoCloseable {
        /** Runs tasks of a length while they are wanted. Returns when the last one has completed. */
        void run(Load load) throws InterruptedException;

        @Override
        void close();
    }

    /** Tasks, and what they have done. */
    private static final class Load {
        private final long from;
        private final long until;
        private final long taskNanos;
        private final long period;
        private final int index;
        private final int nodes;
        private final int outstanding;
        private final String[] groups;
        private final LongAdder completed = new LongAdder();
        private final LongAdder busyNanos = new LongAdder();

        /** @param words in how many milliseconds of the epoch it begins, for how long, microseconds of a task, tasks at once, period, index, nodes, groups */
        Load(String... words) throws InterruptedException {
            long[] n = Arrays.stream(words).mapToLong(Long::parseLong).toArray();
            long delay = n[0] - System.currentTimeMillis();
            from = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delay);
            until = from + TimeUnit.MILLISECONDS.toNanos(n[1]);
            taskNanos = TimeUnit.MICROSECONDS.toNanos(n[2]);
            outstanding = (int) n[3];
            period = TimeUnit.MILLISECONDS.toNanos(n[4]);
            index = (int) n[5];
            nodes = (int) n[6];
            groups = new String[(int) n[7]];
            Arrays.setAll(groups, i -> GROUP + i);
            Thread.sleep(Math.max(0, delay));
        }

        /** Whether there are tasks now. Waits while it is another node's turn. False if the time is over. */
        boolean goesOn() throws InterruptedException {
            while (System.nanoTime() - until < 0) {
                if (period == 0) {
                    return true;
                }
                long since = System.nanoTime() - from;
                long left = period - since % period;
                if (since / period % nodes == index) {
                    return true;
                }
                TimeUnit.NANOSECONDS.sleep(Math.min(left, until - System.nanoTime()));
            }
            return false;
        }

        /** The work of a task. The part that is within the time of the measurement counts. */
        void work() {
            if (taskNanos == 0) {
                completed.increment();
                return;
            }
            long start = System.nanoTime();
            try {
                TimeUnit.NANOSECONDS.sleep(taskNanos);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            long end = Math.min(System.nanoTime(), until);
            if (end - start > 0) {
                busyNanos.add(end - start);
                completed.increment();
            }
        }
    }

    /** This library, with a fleet or without. */
    private static final class Library implements Candidate {
        private final @Nullable Fleet fleet;
        private final GroupExecutor executor;

        Library(@Nullable Fleet fleet, int limit) {
            this.fleet = fleet;
            GroupPolicy.Builder policy = GroupPolicy.builder().defaultMaxConcurrencyPerGroup(limit);
            executor = GroupExecutor.newVirtualThreadExecutor(
                    fleet == null ? policy.build() : policy.fleet(fleet).build());
        }

        @Override
        public void run(Load load) throws InterruptedException {
            if (load.taskNanos == 0) {
                runEmpty(load);
                return;
            }
            Semaphore window = new Semaphore(load.outstanding);
            while (load.goesOn()) {
                window.acquire();
                executor.submit(load.groups[0], "task", () -> {
                    load.work();
                    window.release();
                    return null;
                });
            }
            window.acquire(load.outstanding);
        }

        /**
         * Two batches are under way at a time. With one group they are large, so that its queue is never empty: otherwise permits would go to the other JVM and back. With
         * many groups they are small, so that there is a permit for each task.
         */
        private void runEmpty(Load load) throws InterruptedException {
            int size = load.groups.length == 1 ? LARGE_BATCH : SMALL_BATCH;
            CountDownLatch before = new CountDownLatch(0);
            while (load.goesOn()) {
                CountDownLatch batch = new CountDownLatch(size);
                for (int i = 0; i < size; i++) {
                    executor.submit(load.groups[i % load.groups.length], "task", () -> {
                        load.completed.increment();
                        batch.countDown();
                        return null;
                    });
                }
                before.await();
                before = batch;
            }
            before.await();
        }

        @Override
        public void close() {
            executor.close();
            if (fleet != null) {
                fleet.close();
            }
        }
    }

    /** Redisson's semaphore with permits that expire, used by threads that run tasks. */
    private static final class RedissonSemaphore implements Candidate {
        private final RedissonClient client;
        private final RPermitExpirableSemaphore semaphore;

        RedissonSemaphore(int port, int limit) {
            client = redisson(port);
            semaphore = client.getPermitExpirableSemaphore("limit-" + limit);
            semaphore.trySetPermits(limit);
        }

        @Override
        public void run(Load load) throws InterruptedException {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < load.outstanding; i++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        while (load.goesOn()) {
                            String permit = semaphore.acquire(1, TimeUnit.MINUTES);
                            load.work();
                            semaphore.release(permit);
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }

        @Override
        public void close() {
            client.shutdown();
        }
    }

    private static RedissonClient redisson(int port) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
        return Redisson.create(config);
    }

    private static final Map<String, Candidate> CANDIDATES = new HashMap<>();

    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            obey(line.strip().split(" ", -1));
            System.out.println(END);
        }
        System.exit(0); // some tasks do not end
    }

    private static void obey(String... words) throws Exception {
        switch (words[0]) {
            case "local" -> CANDIDATES.put(words[1], new Library(null, Integer.parseInt(words[2])));
            case "fleet" ->
                CANDIDATES.put(
                        words[1],
                        new Library(
                                join(words[1], Integer.parseInt(words[3]), Long.parseLong(words[4])),
                                Integer.parseInt(words[2])));
            case "redisson" ->
                CANDIDATES.put(words[1], new RedissonSemaphore(Integer.parseInt(words[3]), Integer.parseInt(words[2])));
            case "leave" -> candidate(words[1]).close();
            case "run" -> run(candidate(words[1]), new Load(Arrays.copyOfRange(words, 2, words.length)));
            case "first" ->
                firstStarts(
                        (Library) candidate(words[1]),
                        words[2],
                        Integer.parseInt(words[3]),
                        Integer.parseInt(words[4]),
                        Integer.parseInt(words[5]));
            case "first-permits" ->
                firstPermits(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
            case "groups" -> useGroups((Library) candidate(words[1]), Integer.parseInt(words[2]));
            case "hold" -> hold((Library) candidate(words[1]), Integer.parseInt(words[2]));
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private static Candidate candidate(String name) {
        return Objects.requireNonNull(CANDIDATES.get(name), name);
    }

    private static Fleet join(String name, int port, long ttlMillis) {
        return Fleet.builder(name, RedisStore.at("redis://127.0.0.1:" + port))
                .ttl(Duration.ofMillis(ttlMillis))
                .founding(true)
                .join();
    }

    private static void run(Candidate candidate, Load load) throws InterruptedException {
        candidate.run(load);
        Fork.print("tasks", load.completed.sum());
        Fork.print("busy", load.busyNanos.sum() / 1e9);
    }

    /**
     * How long it takes from the submission of a task to its start, in groups without permits, and how long an EVALSHA takes that does nothing. One of each in turn, each
     * after the same pause. Without one, threads and caches are warm, as they are in a JVM at work.
     */
    private static void firstStarts(Library library, String prefix, int port, int rounds, int pauseMillis)
            throws InterruptedException {
        double[] starts = new double[rounds];
        double[] calls = new double[rounds];
        RedisClient client = RedisProcess.newClient(port);
        RedisCommands<String, String> commands = client.connect().sync();
        String script = commands.scriptLoad("return 1");
        for (int i = 0; i < rounds; i++) {
            pause(pauseMillis);
            long before = System.nanoTime();
            commands.evalsha(script, ScriptOutputType.INTEGER, "key");
            calls[i] = System.nanoTime() - before;
            pause(pauseMillis);
            long submitted = System.nanoTime();
            CountDownLatch started = new CountDownLatch(1);
            long[] at = new long[1];
            library.executor.submit(prefix + i, "task", () -> {
                at[0] = System.nanoTime();
                started.countDown();
                return null;
            });
            started.await();
            starts[i] = at[0] - submitted;
        }
        client.shutdown();
        printQuantiles("start", starts);
        printQuantiles("call", calls);
    }

    /** How long a thread waits for the first permit of a semaphore of Redisson, after the same pause. */
    private static void firstPermits(int port, int rounds, int pauseMillis) throws InterruptedException {
        double[] acquires = new double[rounds];
        RedissonClient client = redisson(port);
        for (int i = -rounds; i < rounds; i++) { // the first half warms up
            RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore("first-" + i);
            semaphore.trySetPermits(1); // not measured: somebody has done it before
            pause(pauseMillis);
            long before = System.nanoTime();
            semaphore.acquire(1, TimeUnit.MINUTES);
            acquires[Math.max(0, i)] = System.nanoTime() - before;
            semaphore.delete();
        }
        client.shutdown();
        printQuantiles("permit", acquires);
    }

    private static void pause(int millis) throws InterruptedException {
        if (millis > 0) {
            Thread.sleep(millis);
        }
    }

    private static void printQuantiles(String name, double... nanos) {
        for (double quantile : new double[] {0.5, 0.99}) {
            Fork.print(name + quantile, Quartiles.quantile(quantile, nanos) / 1e3);
        }
    }

    private static void useGroups(Library library, int groups) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(groups);
        for (int i = 0; i < groups; i++) {
            library.executor.submit("idle-" + i, "task", () -> {
                done.countDown();
                return null;
            });
        }
        done.await();
    }

    /** Starts as many tasks, which do not end, as said. Returns when all of them run; prints at which time of the epoch that is. */
    private static void hold(Library library, int tasks) throws InterruptedException {
        CountDownLatch running = new CountDownLatch(tasks);
        for (int i = 0; i < tasks; i++) {
            library.executor.submit("held", "task", () -> {
                running.countDown();
                Thread.sleep(Duration.ofHours(1));
                return null;
            });
        }
        running.await();
        Fork.print("running", System.currentTimeMillis());
    }
}
