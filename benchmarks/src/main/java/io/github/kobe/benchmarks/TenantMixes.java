package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Fast tenants beside slow ones, at the same time on a thread pool, on the executor that the isolation design comes from, on
 * {@code IsolationExecutor}, and with a thread per task, which shows the part of a wait that is due to the machine. Draws the waits of the
 * design document's mix as a chart.
 *
 * <p>A full run divides the times of the document by {@value #SPEED}: its 100 seconds take less than a minute then, and a promised
 * millisecond is two of the document. A quick run divides by {@value #QUICK_SPEED} and is shorter: its results are mostly start-up and the
 * machine.
 */
final class TenantMixes {

    private static final int SPEED = 2;
    private static final int QUICK_SPEED = 10;
    private static final long SLOWDOWN_MILLIS = 20_000;
    private static final long WARM_UP_MILLIS = 5_000;
    private static final long FOR_EVER = 3_600_000;
    private static final int PERMITS = 50;
    private static final int BURST_TASK_MILLIS = 50;
    private static final List<TenantExecutor> ALL_EXECUTORS = List.of(TenantExecutor.values());

    /**
     * A mix of tenants.
     *
     * @param millis the length of a full run in the time of the document
     * @param quickMillis the length of a quick run
     * @param load creates the load for a speed
     * @param p99 the promised wait of fast tasks in ms for a speed; {@code null} for none
     * @param work the promised work of the other tenants against the thread pool; {@code null} for none
     */
    private record Mix(
            String name,
            int millis,
            int quickMillis,
            IntFunction<TenantLoad> load,
            @Nullable IntToDoubleFunction p99,
            @Nullable Double work) {}

    private static final List<Mix> MIXES = List.of(
            new Mix("design document", 100_000, 30_000, TenantMixes::document, always(1), 0.95),
            new Mix("only slow tenants", 30_000, 15_000, TenantMixes::onlySlow, null, 0.98),
            new Mix("one tenant hangs for ever", 30_000, 15_000, TenantMixes::oneHangs, always(5), null),
            new Mix("one tenant becomes 100 times slower", 100_000, 40_000, TenantMixes::oneSlowsDown, always(5), 0.9),
            new Mix("300 fast tenants at random, 8 slow", 30_000, 15_000, TenantMixes::random, always(15), 0.85),
            new Mix("bursts", 30_000, 15_000, TenantMixes::bursts, speed -> 0.5 * BURST_TASK_MILLIS / speed, 0.85));

    private TenantMixes() {}

    private static IntToDoubleFunction always(double millis) {
        return speed -> millis;
    }

    private static TenantLoad eightFastTenants(int speed) {
        long[][] durationsAndIntervals = {
            {50, 50}, {50, 100}, {100, 100}, {100, 100}, {200, 200}, {300, 300}, {400, 400}, {500, 500}
        };
        TenantLoad load = new TenantLoad(PERMITS, speed);
        for (int i = 0; i < durationsAndIntervals.length; i++) {
            load.addPeriodic("fast" + (i + 1), true, durationsAndIntervals[i][0], durationsAndIntervals[i][1]);
        }
        return load;
    }

    private static TenantLoad document(int speed) {
        return eightFastTenants(speed).addPeriodic("slow1", false, 2000, 100).addPeriodic("slow2", false, 3000, 100);
    }

    private static TenantLoad onlySlow(int speed) {
        TenantLoad load = new TenantLoad(PERMITS, speed);
        for (int i = 0; i < 5; i++) {
            load.addPeriodic("slow" + i, false, 1500 + 500 * i, 200);
        }
        return load;
    }

    private static TenantLoad oneHangs(int speed) {
        return eightFastTenants(speed).addPeriodic("hung", false, FOR_EVER, 20);
    }

    private static TenantLoad oneSlowsDown(int speed) {
        return eightFastTenants(speed)
                .add("slowing", false, time -> 150, time -> time > SLOWDOWN_MILLIS ? 5000 : 50, 1)
                .addPeriodic("slow", false, 2000, 130);
    }

    private static TenantLoad random(int speed) {
        TenantLoad load = new TenantLoad(PERMITS, speed);
        for (int i = 0; i < 300; i++) {
            load.addRandom("fast" + i, true, 40, 2000);
        }
        for (int i = 0; i < 8; i++) {
            load.addRandom("slow" + i, false, 2000, 260);
        }
        return load;
    }

    private static TenantLoad bursts(int speed) {
        return new TenantLoad(PERMITS, speed)
                .add("burst", true, time -> 1000, time -> BURST_TASK_MILLIS, 6)
                .addPeriodic("slow1", false, 2000, 70)
                .addPeriodic("slow2", false, 2037, 70);
    }

    /** Runs all mixes and draws the chart. Options: {@code --quick}, and {@code --chart FILE} for the file of the chart. */
    public static void main(String[] args) throws InterruptedException, IOException {
        List<String> options = List.of(args);
        int chart = options.indexOf("--chart");
        RunLength length = new RunLength(options.contains("--quick"));
        Map<Mix, Map<TenantExecutor, TenantLoad.Result>> results = runAll(length);
        Path file = Path.of(chart < 0 ? "isolation-waits.svg" : options.get(chart + 1));
        Files.writeString(file, TenantChart.of(Objects.requireNonNull(results.get(MIXES.getFirst()))));
        System.out.println("chart: " + file);
        List<Row> rows = rows(results, speed(length));
        new ConsoleReport(System.out).rows(rows);
        System.exit(rows.stream().anyMatch(Row::missed) ? 1 : 0);
    }

    static List<Row> rows(RunLength length) throws InterruptedException {
        return rows(runAll(length), speed(length));
    }

    /** Returns the waits of fast tenants, at the speed and length of a quick run. */
    static List<LibraryWorkload> libraryWorkloads(RunLength length) {
        return MIXES.stream()
                .filter(mix -> mix.p99 != null)
                .map(mix -> new LibraryWorkload(
                                "p99 wait of fast tenants, " + mix.name, Unit.MILLIS, () -> p99OfIsolationExecutor(mix))
                        .withFewRounds())
                .toList();
    }

    private static double p99OfIsolationExecutor(Mix mix) throws InterruptedException {
        Map<TenantExecutor, TenantLoad.Result> results =
                mix.load.apply(QUICK_SPEED).run(mix.quickMillis, List.of(TenantExecutor.ISOLATION));
        return p99(results, TenantExecutor.ISOLATION).median();
    }

    private static int speed(RunLength length) {
        return length.pick(SPEED, QUICK_SPEED);
    }

    private static Map<Mix, Map<TenantExecutor, TenantLoad.Result>> runAll(RunLength length)
            throws InterruptedException {
        int speed = speed(length);
        System.out.printf("Times are those of the design document divided by %d.%n%n", speed);
        System.out.printf(
                "%-36s | %-54s | %s%n",
                "mix",
                "wait of fast tenants, p50 / p99 / max (ms, lower is better)",
                "work of others (x of the pool's)");
        random(QUICK_SPEED).run(WARM_UP_MILLIS, ALL_EXECUTORS);
        Map<Mix, Map<TenantExecutor, TenantLoad.Result>> results = new LinkedHashMap<>();
        for (Mix mix : MIXES) {
            Map<TenantExecutor, TenantLoad.Result> result =
                    mix.load.apply(speed).run(length.pick(mix.millis, mix.quickMillis), ALL_EXECUTORS);
            print(mix, result);
            results.put(mix, result);
        }
        return results;
    }

    private static void print(Mix mix, Map<TenantExecutor, TenantLoad.Result> results) {
        results.forEach((executor, result) -> System.out.printf(
                Locale.ROOT,
                "%-36s | %-18s %,9.2f / %,9.2f / %,7.0f | %s%n",
                mix.name,
                executor.title(),
                result.waitOfFastTenants(0.5),
                result.waitOfFastTenants(0.99),
                result.waitOfFastTenants(1),
                executor == TenantExecutor.THREADS ? "" : "%.3f".formatted(work(results, executor))));
    }

    private static List<Row> rows(Map<Mix, Map<TenantExecutor, TenantLoad.Result>> results, int speed) {
        List<Row> rows = new ArrayList<>();
        results.forEach((mix, result) -> {
            if (mix.p99 != null) {
                rows.add(new Row(
                        "p99 wait of fast tenants, " + mix.name,
                        Unit.MILLIS,
                        p99(result, TenantExecutor.CAMELLIA),
                        p99(result, TenantExecutor.ISOLATION),
                        Promise.atMost(mix.p99.applyAsDouble(speed))));
                rows.add(new Row(
                        "p99 wait of fast tenants with a thread per task, " + mix.name,
                        Unit.MILLIS,
                        null,
                        p99(result, TenantExecutor.THREADS),
                        null));
            }
            if (mix.work != null) {
                rows.add(new Row(
                        "work of the other tenants against a thread pool, " + mix.name,
                        Unit.WORK_RATIO,
                        Quartiles.of(work(result, TenantExecutor.CAMELLIA)),
                        Quartiles.of(work(result, TenantExecutor.ISOLATION)),
                        Promise.atLeast(mix.work)));
            }
        });
        return rows;
    }

    private static Quartiles p99(Map<TenantExecutor, TenantLoad.Result> results, TenantExecutor executor) {
        return Quartiles.of(Objects.requireNonNull(results.get(executor)).waitOfFastTenants(0.99));
    }

    private static double work(Map<TenantExecutor, TenantLoad.Result> results, TenantExecutor executor) {
        return Objects.requireNonNull(results.get(executor)).workOfOtherTenants()
                / Objects.requireNonNull(results.get(TenantExecutor.THREAD_POOL))
                        .workOfOtherTenants();
    }
}
