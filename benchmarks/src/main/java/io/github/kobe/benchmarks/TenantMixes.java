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
 * Quick tenants beside slow ones, side by side on a plain pool, on the executor that the design comes from, on ours, and on a thread
 * each, which shows how much of a wait is the machine's. Writes the waiting times of the document's mix as a chart.
 *
 * <p>The full run plays time {@value #SCALE} times as fast as it is in the document: its 100 seconds fit a minute then, and a millisecond
 * that is promised is hardly more than one of the document. The quick run plays {@value #QUICK_SCALE} times as fast, and less of it: what
 * it shows is mostly start-up and the machine.
 */
final class TenantMixes {

    private static final int SCALE = 2;
    private static final int QUICK_SCALE = 10;
    private static final long TURN = 20_000;
    private static final long WARM_UP = 5_000;
    private static final long FOR_EVER = 3_600_000;
    private static final int PLACES = 50;
    private static final int BURST = 50; // ms that one takes on an idle system
    private static final String DOCUMENT = "the document's";

    /**
     * @param length in the document's time, in ms
     * @param inAHurry the same for a quick run
     * @param load for how many times as fast it is played
     * @param p99 what quick tasks wait at most, in ms, for that
     * @param work what the others get, against the plain pool
     */
    private record Mix(
            String name,
            int length,
            int inAHurry,
            IntFunction<TenantLoad> load,
            @Nullable IntToDoubleFunction p99,
            @Nullable Double work) {}

    private static final List<Mix> MIXES = List.of(
            new Mix(DOCUMENT, 100_000, 30_000, TenantMixes::document, always(1), 0.95),
            new Mix("only slow tenants", 30_000, 15_000, TenantMixes::onlySlow, null, 0.98),
            new Mix("one hangs for ever", 30_000, 15_000, TenantMixes::hang, always(5), null),
            new Mix("one turns 100 times slower", 100_000, 40_000, TenantMixes::turn, always(5), 0.9),
            new Mix("300 quick at random, 8 slow", 30_000, 15_000, TenantMixes::random, always(15), 0.85),
            new Mix("bursts", 30_000, 15_000, TenantMixes::bursts, scale -> 0.5 * BURST / scale, 0.85));

    private TenantMixes() {}

    private static IntToDoubleFunction always(double millis) {
        return scale -> millis;
    }

    private static TenantLoad eightQuick(int scale) {
        long[][] fast = {{50, 50}, {50, 100}, {100, 100}, {100, 100}, {200, 200}, {300, 300}, {400, 400}, {500, 500}};
        TenantLoad load = new TenantLoad(PLACES, scale);
        for (int i = 0; i < fast.length; i++) {
            load.every("fast" + (i + 1), true, fast[i][0], fast[i][1]);
        }
        return load;
    }

    private static TenantLoad document(int scale) {
        return eightQuick(scale).every("slow1", false, 2000, 100).every("slow2", false, 3000, 100);
    }

    private static TenantLoad onlySlow(int scale) {
        TenantLoad load = new TenantLoad(PLACES, scale);
        for (int i = 0; i < 5; i++) {
            load.every("slow" + i, false, 1500 + 500 * i, 200);
        }
        return load;
    }

    private static TenantLoad hang(int scale) {
        return eightQuick(scale).every("hung", false, FOR_EVER, 20);
    }

    private static TenantLoad turn(int scale) {
        return eightQuick(scale)
                .add("turning", false, t -> 150, t -> t > TURN ? 5000 : 50, 1)
                .every("slow", false, 2000, 130);
    }

    private static TenantLoad random(int scale) {
        TenantLoad load = new TenantLoad(PLACES, scale);
        for (int i = 0; i < 300; i++) {
            load.atRandom("quick" + i, true, 40, 2000);
        }
        for (int i = 0; i < 8; i++) {
            load.atRandom("slow" + i, false, 2000, 260);
        }
        return load;
    }

    private static TenantLoad bursts(int scale) {
        return new TenantLoad(PLACES, scale)
                .add("burst", true, t -> 1000, t -> BURST, 6)
                .every("slow1", false, 2000, 70)
                .every("slow2", false, 2037, 70);
    }

    /** Plays everything once; {@code --quick} in a hurry, and {@code --chart FILE} says where the chart goes. */
    public static void main(String[] args) throws InterruptedException, IOException {
        List<String> options = List.of(args);
        int chart = options.indexOf("--chart");
        Effort effort = new Effort(options.contains("--quick"));
        Map<Mix, Map<TenantSide, TenantLoad.Outcome>> played = play(effort);
        Path file = Path.of(chart < 0 ? "isolation-waits.svg" : options.get(chart + 1));
        Files.writeString(file, TenantChart.of(Objects.requireNonNull(played.get(MIXES.getFirst()))));
        System.out.println("chart: " + file);
        List<Row> rows = rows(played, scale(effort));
        new Report(System.out).table(rows);
        System.exit(rows.stream().anyMatch(Row::missed) ? 1 : 0);
    }

    static List<Row> rows(Effort effort) throws InterruptedException {
        return rows(play(effort), scale(effort));
    }

    private static int scale(Effort effort) {
        return effort.of(SCALE, QUICK_SCALE);
    }

    private static Map<Mix, Map<TenantSide, TenantLoad.Outcome>> play(Effort effort) throws InterruptedException {
        int scale = scale(effort);
        System.out.printf("Times are those of the document, divided by %d.%n%n", scale);
        System.out.printf(
                "%-28s | %-48s | %s%n", "mix", "quick tasks waited p50 / p99 / max, ms", "others' work, against plain");
        random(QUICK_SCALE).play(WARM_UP);
        Map<Mix, Map<TenantSide, TenantLoad.Outcome>> played = new LinkedHashMap<>();
        for (Mix mix : MIXES) {
            Map<TenantSide, TenantLoad.Outcome> outcomes =
                    mix.load.apply(scale).play(effort.of(mix.length, mix.inAHurry));
            print(mix, outcomes);
            played.put(mix, outcomes);
        }
        return played;
    }

    private static void print(Mix mix, Map<TenantSide, TenantLoad.Outcome> outcomes) {
        outcomes.forEach((side, outcome) -> System.out.printf(
                Locale.ROOT,
                "%-28s | %-18s %,9.2f / %,9.2f / %,7.0f | %s%n",
                mix.name,
                side.title(),
                outcome.percentileOfQuiet(0.5),
                outcome.percentileOfQuiet(0.99),
                outcome.percentileOfQuiet(1),
                side == TenantSide.BARE ? "" : "%.3f".formatted(work(outcomes, side))));
    }

    private static List<Row> rows(Map<Mix, Map<TenantSide, TenantLoad.Outcome>> played, int scale) {
        List<Row> rows = new ArrayList<>();
        played.forEach((mix, outcomes) -> {
            if (mix.p99 != null) {
                Promise promise = Promise.atMost(mix.p99.applyAsDouble(scale));
                rows.add(new Row(
                        "p99 wait of quick tenants: " + mix.name,
                        Unit.MILLIS,
                        p99(outcomes, TenantSide.SEED),
                        p99(outcomes, TenantSide.OURS),
                        promise));
                rows.add(new Row(
                        "  the same with a thread each: " + mix.name,
                        Unit.MILLIS,
                        null,
                        p99(outcomes, TenantSide.BARE),
                        null));
            }
            if (mix.work != null) {
                rows.add(new Row(
                        "work of the others, against a plain pool: " + mix.name,
                        Unit.TIMES,
                        Spread.of(work(outcomes, TenantSide.SEED)),
                        Spread.of(work(outcomes, TenantSide.OURS)),
                        Promise.atLeast(mix.work)));
            }
        });
        return rows;
    }

    private static Spread p99(Map<TenantSide, TenantLoad.Outcome> outcomes, TenantSide side) {
        return Spread.of(Objects.requireNonNull(outcomes.get(side)).percentileOfQuiet(0.99));
    }

    private static double work(Map<TenantSide, TenantLoad.Outcome> outcomes, TenantSide side) {
        return Objects.requireNonNull(outcomes.get(side)).work()
                / Objects.requireNonNull(outcomes.get(TenantSide.PLAIN)).work();
    }
}
