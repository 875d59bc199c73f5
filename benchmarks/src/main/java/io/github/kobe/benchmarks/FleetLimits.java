package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One limit over several JVMs, on one Redis: what it costs, how well the permits are used, and how Redisson's {@code RPermitExpirableSemaphore} does on the same
 * server and in the same JVMs.
 */
final class FleetLimits implements AutoCloseable {

    private static final int LIMIT = 10;
    private static final int MAX_NODES = 4;
    private static final int DISPATCH_GROUPS = 1_000;
    private static final int DISPATCH_LIMIT = 8;
    private static final int EMPTY = 0;
    private static final int SHORT_MICROS = 5_000;
    private static final int LONG_MICROS = 20_000;
    private static final int TTL_MILLIS = 10_000;
    private static final int GROUPS = 10_000;
    private static final int PAUSE_MILLIS = 5;
    private static final long NETWORK_DELAY_NANOS = 250_000; // in each direction
    private static final String LOCAL = "local";
    private static final String FLEET = "fleet";
    private static final String REDISSON = "redisson";
    private static final String REDISSON_OF_ONE = "redisson-of-one";

    private final RunLength length;
    private final RedisProcess redis;
    private final List<FleetJvm> jvms = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private final List<List<String>> comparison = new ArrayList<>();

    private FleetLimits(RunLength length) throws IOException, InterruptedException {
        this.length = length;
        redis = new RedisProcess();
        for (int i = 0; i < MAX_NODES; i++) {
            jvms.add(new FleetJvm());
        }
    }

    static ChapterResult measure(RunLength length) throws InterruptedException {
        try (FleetLimits chapter = new FleetLimits(length)) {
            chapter.permitsInHand();
            chapter.emptyTasks();
            chapter.firstStart();
            chapter.shortTasks();
            chapter.movingDemand();
            for (int nodes = 2; nodes <= MAX_NODES; nodes++) {
                chapter.oneAtATime(nodes);
            }
            chapter.killedNode();
            chapter.idleGroups();
            return new ChapterResult(
                    chapter.rows,
                    List.of(new Table(
                            "Against Redisson's RPermitExpirableSemaphore, on one Redis, in the same JVMs",
                            List.of("workload", "unit", "this library", "Redisson"),
                            chapter.comparison,
                            List.of())),
                    Map.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** There is nothing to compare without the JVMs and the server. */
    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return List.of();
    }

    // ---- what is measured ------------------------------------------------------------------------------------------

    /** As the chapter {@code dispatch}, in two JVMs at the same time: there is always a permit, and no task is queued. */
    private void permitsInHand() throws IOException {
        List<FleetJvm> two = jvms.subList(0, 2);
        tell(two, LOCAL, "alone", DISPATCH_LIMIT);
        tell(two, FLEET, "in-hand", 2 * DISPATCH_LIMIT, redis.port(), TTL_MILLIS);
        int millis = length.pick(2_000, 1_000);
        List<Double> ratios = new ArrayList<>();
        List<Double> calls = new ArrayList<>();
        for (int round = -length.pick(4, 3); round < length.pick(15, 5); round++) {
            Load alone = run(two, "alone", millis, EMPTY, 0, 0, DISPATCH_GROUPS);
            long before = redis.scriptCalls();
            Load fleet = run(two, "in-hand", millis, EMPTY, 0, 0, DISPATCH_GROUPS);
            long after = redis.scriptCalls();
            if (round >= 0) {
                ratios.add(fleet.tasks() / alone.tasks());
                calls.add((after - before) * 1e3 / fleet.tasks());
            }
        }
        row(
                "permits in hand: empty tasks, 1,000 groups, two JVMs, against the same without a fleet",
                Unit.SPEEDUP,
                quartiles(ratios),
                Promise.atLeast(0.95));
        row("  store calls for 1,000 of them", Unit.CALLS, quartiles(calls), null);
        tell(two, "leave", "in-hand");
        tell(two, "leave", "alone");
    }

    private void emptyTasks() throws IOException {
        List<FleetJvm> two = jvms.subList(0, 2);
        tell(two, LOCAL, LOCAL, LIMIT / 2);
        tell(two, FLEET, FLEET, LIMIT, redis.port(), TTL_MILLIS);
        tell(two, REDISSON, REDISSON, LIMIT, redis.port());
        int millis = length.pick(2_000, 1_000);
        int rounds = length.pick(9, 3);
        List<Double> againstLocal = new ArrayList<>();
        List<Double> againstRedisson = new ArrayList<>();
        List<Double> calls = new ArrayList<>();
        List<Double> redissonCalls = new ArrayList<>();
        List<Double> rates = new ArrayList<>();
        List<Double> redissonRates = new ArrayList<>();
        for (int round = -length.pick(4, 2); round < rounds; round++) {
            Load local = run(two, LOCAL, millis, EMPTY, LIMIT, 0);
            long before = redis.scriptCalls();
            Load fleet = run(two, FLEET, millis, EMPTY, LIMIT, 0);
            long between = redis.scriptCalls();
            Load redisson = run(two, REDISSON, millis, EMPTY, LIMIT, 0);
            long after = redis.scriptCalls();
            if (round >= 0) {
                againstLocal.add(fleet.tasks() / local.tasks());
                againstRedisson.add(fleet.tasks() / redisson.tasks());
                calls.add((between - before) * 1e3 / fleet.tasks());
                redissonCalls.add((after - between) * 1e3 / redisson.tasks());
                rates.add(fleet.tasks() * 1e3 / millis);
                redissonRates.add(redisson.tasks() * 1e3 / millis);
            }
        }
        row(
                "empty tasks that queue for limit 10 over two JVMs, against the same with limit 5 in each",
                Unit.SPEEDUP,
                quartiles(againstLocal),
                null);
        row(
                "empty tasks, limit 10 over two JVMs, against Redisson",
                Unit.SPEEDUP,
                quartiles(againstRedisson),
                Promise.atLeast(100));
        row("store calls for 1,000 empty tasks", Unit.CALLS, quartiles(calls), Promise.atMost(1));
        compare("empty tasks, limit 10, two JVMs", Unit.TASKS_PER_SECOND, quartiles(rates), quartiles(redissonRates));
        compare("store calls for 1,000 of them", Unit.CALLS, quartiles(calls), quartiles(redissonCalls));
        tell(two, "leave", FLEET);
    }

    private void firstStart() throws IOException {
        FleetJvm jvm = jvms.getFirst();
        firstStart(jvm, "first", redis.port(), "");
        try (DelayingRelay relay = new DelayingRelay(redis.port(), NETWORK_DELAY_NANOS)) {
            firstStart(jvm, "first-by-network", relay.port(), ", through a relay that delays both for 0.5 ms");
        }
    }

    private void firstStart(FleetJvm jvm, String fleet, int port, String where) throws IOException {
        tell(List.of(jvm), FLEET, fleet, LIMIT, port, TTL_MILLIS);
        jvm.tell("first", fleet, "warm-up-", port, length.pick(20_000, 2_000), 0);
        jvm.answer();
        firstStart(jvm, fleet, port, 0, where + ", one after the other");
        firstStart(jvm, fleet, port, PAUSE_MILLIS, where + ", after pauses of 5 ms");
        tell(List.of(jvm), "leave", fleet);
    }

    /** In several series: for the whole of one, the operating system may place threads well or badly. */
    private void firstStart(FleetJvm jvm, String fleet, int port, int pauseMillis, String where) throws IOException {
        int rounds = length.pick(500, 100);
        List<Map<String, Double>> series = new ArrayList<>();
        List<Map<String, Double>> redisson = new ArrayList<>();
        for (int i = 0; i < length.pick(9, 1); i++) {
            awaitIdleGroups(fleet); // permits are not returned meanwhile
            jvm.tell("first", fleet, pauseMillis + "-" + i + "-", port, rounds, pauseMillis);
            series.add(jvm.answer());
            jvm.tell("first-permits", port, rounds, pauseMillis);
            redisson.add(jvm.answer());
        }
        for (String quantile : List.of("0.5", "0.99")) {
            List<Double> starts = values(series, "start" + quantile);
            List<Double> calls = values(series, "call" + quantile);
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < starts.size(); i++) {
                ratios.add(starts.get(i) / calls.get(i));
            }
            String name = quantile.equals("0.5") ? "median" : "p99";
            row(
                    "first start of a task in a group without permits, " + name + ", against an empty EVALSHA" + where,
                    Unit.COST_RATIO,
                    quartiles(ratios),
                    Promise.atMost(quantile.equals("0.5") ? 1.5 : 3));
            row("  from submit to start", Unit.MICROS, quartiles(starts), null);
            row("  the EVALSHA", Unit.MICROS, quartiles(calls), null);
            compare(
                    "first start in a group without permits, " + name + where,
                    Unit.MICROS,
                    quartiles(starts),
                    quartiles(values(redisson, "permit" + quantile)));
        }
    }

    private static List<Double> values(List<Map<String, Double>> answers, String name) {
        return answers.stream()
                .map(answer -> answer.getOrDefault(name, Double.NaN))
                .toList();
    }

    private void shortTasks() throws IOException {
        List<FleetJvm> two = jvms.subList(0, 2);
        tell(two, FLEET, "short", LIMIT, redis.port(), TTL_MILLIS);
        int millis = length.pick(5_000, 2_000);
        run(two, "short", 1_000, SHORT_MICROS, 2 * LIMIT, 0);
        Load fleet = run(two, "short", millis, SHORT_MICROS, 2 * LIMIT, 0);
        Load redisson = run(two, REDISSON, millis, SHORT_MICROS, LIMIT, 0);
        compare(
                "tasks of 5 ms, limit 10, two JVMs: permits in use",
                Unit.PERCENT,
                fleet.busy(LIMIT),
                redisson.busy(LIMIT));
        tell(two, "leave", "short");
    }

    private void movingDemand() throws IOException {
        List<FleetJvm> two = jvms.subList(0, 2);
        tell(two, FLEET, "moving", LIMIT, redis.port(), TTL_MILLIS);
        int millis = length.pick(16_000, 8_000);
        Load fleet = run(two, "moving", millis, LONG_MICROS, 2 * LIMIT, 2_000);
        row(
                "tasks of 20 ms, limit 10, two JVMs in turn, 2 s each: permits in use",
                Unit.PERCENT,
                fleet.busy(LIMIT),
                Promise.atLeast(95));
        Load redisson = run(two, REDISSON, millis, LONG_MICROS, 2 * LIMIT, 2_000);
        compare(
                "tasks of 20 ms, limit 10, two JVMs in turn, 2 s each: permits in use",
                Unit.PERCENT,
                fleet.busy(LIMIT),
                redisson.busy(LIMIT));
        tell(two, "leave", "moving");
    }

    private void oneAtATime(int nodes) throws IOException {
        List<FleetJvm> some = jvms.subList(0, nodes);
        String name = "one-of-" + nodes;
        tell(some, FLEET, name, 1, redis.port(), TTL_MILLIS);
        int millis = 5_000;
        run(some, name, length.pick(2_000, 1_000), SHORT_MICROS, 4, 0);
        Load fleet = run(some, name, millis, SHORT_MICROS, 4, 0);
        String what = "tasks of 5 ms, limit 1, " + nodes + " JVMs: ";
        row(what + "permit in use", Unit.PERCENT, fleet.busy(1), Promise.atLeast(95));
        row(what + "difference of a share from the mean", Unit.PERCENT_OFF, fleet.unfairness(), Promise.atMost(10));
        tell(some, REDISSON, REDISSON_OF_ONE, 1, redis.port());
        Load redisson = run(some, REDISSON_OF_ONE, millis, SHORT_MICROS, 2, 0);
        compare(what + "permit in use", Unit.PERCENT, fleet.busy(1), redisson.busy(1));
        compare(
                what + "difference of a share from the mean",
                Unit.PERCENT_OFF,
                fleet.unfairness(),
                redisson.unfairness());
        tell(some, "leave", name);
        tell(some, "leave", REDISSON_OF_ONE);
    }

    private void killedNode() throws IOException, InterruptedException {
        int ttl = length.pick(TTL_MILLIS, 2_000);
        FleetJvm killed = jvms.getLast();
        FleetJvm other = jvms.getFirst();
        List<FleetJvm> both = List.of(other, killed);
        tell(both, FLEET, "killed", LIMIT, redis.port(), ttl);
        tell(List.of(killed), "hold", "killed", LIMIT);
        other.tell("hold", "killed", LIMIT);
        pause(1_000); // it waits for permits by now
        long start = System.currentTimeMillis();
        killed.kill();
        double running = other.answer().getOrDefault("running", Double.NaN);
        row(
                "kill -9 of a node with 10 permits: until all run elsewhere, beyond TTL and heartbeat",
                Unit.MILLIS,
                Quartiles.of(running - start - ttl - ttl / 8.0),
                Promise.atMost(100));
    }

    private void idleGroups() throws IOException {
        List<FleetJvm> one = jvms.subList(0, 1);
        tell(one, FLEET, "idle", LIMIT, redis.port(), TTL_MILLIS);
        tell(one, "groups", "idle", GROUPS);
        row(
                "keys in Redis of 10,000 groups that are idle",
                Unit.KEYS,
                Quartiles.of(awaitIdleGroups("idle")),
                Promise.atMost(0));
    }

    /** Waits until a fleet without tasks has no keys of groups, but not for ever. Returns how many are left. */
    private long awaitIdleGroups(String fleet) {
        String pattern = "kobe:v1:{" + fleet + "#0}:group*";
        long left = redis.keys(pattern);
        for (int waits = 0; left > 0 && waits < 300; waits++) {
            pause(100);
            left = redis.keys(pattern);
        }
        return left;
    }

    // ---- the JVMs --------------------------------------------------------------------------------------------------

    /** What the JVMs did in one measurement. */
    private record Load(List<Double> tasksOfEach, double busySeconds, double seconds) {
        double tasks() {
            return tasksOfEach.stream().mapToDouble(Double::doubleValue).sum();
        }

        Quartiles busy(int limit) {
            return Quartiles.of(100 * busySeconds / (limit * seconds));
        }

        Quartiles unfairness() {
            double mean = tasks() / tasksOfEach.size();
            return Quartiles.of(tasksOfEach.stream()
                    .mapToDouble(tasks -> 100 * Math.abs(tasks - mean) / mean)
                    .max()
                    .orElse(0));
        }
    }

    /** @param period for so many milliseconds each of them has tasks, in turn; 0: all have tasks all the time */
    private static Load run(
            List<FleetJvm> jvms, String candidate, int millis, int taskMicros, int outstanding, int period)
            throws IOException {
        return run(jvms, candidate, millis, taskMicros, outstanding, period, 1);
    }

    private static Load run(
            List<FleetJvm> jvms, String candidate, int millis, int taskMicros, int outstanding, int period, int groups)
            throws IOException {
        long start = System.currentTimeMillis() + 200;
        for (int i = 0; i < jvms.size(); i++) {
            jvms.get(i).tell("run", candidate, start, millis, taskMicros, outstanding, period, i, jvms.size(), groups);
        }
        List<Map<String, Double>> answers = answers(jvms);
        return new Load(
                answers.stream()
                        .map(answer -> answer.getOrDefault("tasks", Double.NaN))
                        .toList(),
                answers.stream()
                        .mapToDouble(answer -> answer.getOrDefault("busy", Double.NaN))
                        .sum(),
                millis / 1e3);
    }

    private static List<Map<String, Double>> tell(List<FleetJvm> jvms, Object... words) throws IOException {
        for (FleetJvm jvm : jvms) {
            jvm.tell(words);
        }
        return answers(jvms);
    }

    private static List<Map<String, Double>> answers(List<FleetJvm> jvms) throws IOException {
        List<Map<String, Double>> answers = new ArrayList<>();
        for (FleetJvm jvm : jvms) {
            answers.add(jvm.answer());
        }
        return answers;
    }

    private static void pause(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    // ---- the report ------------------------------------------------------------------------------------------------

    private void row(String name, Unit unit, Quartiles value, @Nullable Promise promise) {
        rows.add(new Row(name, unit, null, value, promise));
    }

    private void compare(String workload, Unit unit, Quartiles library, Quartiles redisson) {
        comparison.add(List.of(workload, unit.description(), unit.format(library), unit.format(redisson)));
    }

    private static Quartiles quartiles(List<Double> values) {
        return Quartiles.of(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    @Override
    public void close() throws IOException {
        for (FleetJvm jvm : jvms) {
            jvm.close();
        }
        redis.close();
    }
}
