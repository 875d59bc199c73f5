package io.github.kobe.benchmarks;

import io.github.kobe.benchmarks.Row.Promise;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Quick tenants beside slow ones, side by side on a plain pool, on the executor that the design comes from, and on ours. Under a
 * minute. Writes the waiting times of the document's mix as a chart.
 */
final class TenantMixes {

    private static final long LENGTH = 65_000;
    private static final long SHORT = 15_000;
    private static final long WARM_UP = 5_000;
    private static final long FOR_EVER = 3_600_000;
    private static final int PLACES = 50;

    /**
     * @param p99 what quick tasks wait at most, in ms
     * @param work what the others get, against the plain pool
     */
    private record Mix(
            String name,
            long length,
            Supplier<TenantLoad> load,
            @Nullable Double p99,
            @Nullable Double work) {}

    private static final List<Mix> MIXES = List.of(
            new Mix("the document's", LENGTH, TenantMixes::document, 1.0, 0.95),
            new Mix("only slow tenants", SHORT, TenantMixes::onlySlow, null, 0.98),
            new Mix("one hangs for ever", SHORT, TenantMixes::hang, 5.0, null),
            new Mix("one turns 100 times slower", LENGTH, TenantMixes::turn, 5.0, 0.9),
            new Mix("300 quick at random, 8 slow", SHORT, TenantMixes::random, 15.0, 0.85),
            new Mix("bursts", SHORT, TenantMixes::bursts, 2.5, 0.85)); // half of a burst's own length of 50 ms, scaled

    private TenantMixes() {}

    private static TenantLoad eightQuick() {
        long[][] fast = {{50, 50}, {50, 100}, {100, 100}, {100, 100}, {200, 200}, {300, 300}, {400, 400}, {500, 500}};
        TenantLoad load = new TenantLoad(PLACES);
        for (int i = 0; i < fast.length; i++) {
            load.every("fast" + (i + 1), true, fast[i][0], fast[i][1]);
        }
        return load;
    }

    private static TenantLoad document() {
        return eightQuick().every("slow1", false, 2000, 100).every("slow2", false, 3000, 100);
    }

    private static TenantLoad onlySlow() {
        TenantLoad load = new TenantLoad(PLACES);
        for (int i = 0; i < 5; i++) {
            load.every("slow" + i, false, 1500 + 500 * i, 200);
        }
        return load;
    }

    private static TenantLoad hang() {
        return eightQuick().every("hung", false, FOR_EVER, 20);
    }

    private static TenantLoad turn() {
        return eightQuick()
                .add("turning", false, t -> 150, t -> t > LENGTH / 4 ? 5000 : 50, 1)
                .every("slow", false, 2000, 130);
    }

    private static TenantLoad random() {
        TenantLoad load = new TenantLoad(PLACES);
        for (int i = 0; i < 300; i++) {
            load.atRandom("quick" + i, true, 40, 2000);
        }
        for (int i = 0; i < 8; i++) {
            load.atRandom("slow" + i, false, 2000, 260);
        }
        return load;
    }

    private static TenantLoad bursts() {
        return new TenantLoad(PLACES)
                .add("burst", true, t -> 1000, t -> 50, 6)
                .every("slow1", false, 2000, 70)
                .every("slow2", false, 2037, 70);
    }

    /** Plays everything once; {@code --chart FILE} says where the chart goes. */
    public static void main(String[] args) throws InterruptedException, IOException {
        Path chart = Path.of(args.length > 1 && args[0].equals("--chart") ? args[1] : "isolation-waits.svg");
        List<Row> rows = new ArrayList<>();
        System.out.printf("Times are those of the document, divided by %d.%n%n", TenantLoad.SCALE);
        System.out.printf(
                "%-28s | %-48s | %s%n", "mix", "quick tasks waited p50 / p99 / max, ms", "others' work, against plain");
        for (TenantSide side : TenantSide.values()) {
            random().play(side, WARM_UP);
        }
        for (Mix mix : MIXES) {
            rows.addAll(rows(mix, play(mix), chart));
        }
        new Report(System.out).table(rows);
        System.exit(rows.stream().anyMatch(Row::missed) ? 1 : 0);
    }

    private static Map<TenantSide, TenantLoad.Outcome> play(Mix mix) throws InterruptedException {
        Map<TenantSide, TenantLoad.Outcome> outcomes = new EnumMap<>(TenantSide.class);
        for (TenantSide side : TenantSide.values()) {
            outcomes.put(side, mix.load.get().play(side, mix.length));
        }
        return outcomes;
    }

    private static List<Row> rows(Mix mix, Map<TenantSide, TenantLoad.Outcome> outcomes, Path chart)
            throws IOException {
        double plain = Objects.requireNonNull(outcomes.get(TenantSide.PLAIN)).work();
        outcomes.forEach((side, outcome) -> System.out.printf(
                Locale.ROOT,
                "%-28s | %-18s %,9.2f / %,9.2f / %,7.0f | %.2f%n",
                mix.name,
                side.title(),
                outcome.percentileOfQuiet(0.5),
                outcome.percentileOfQuiet(0.99),
                outcome.percentileOfQuiet(1),
                outcome.work() / plain));
        if (mix.name.startsWith("the document")) {
            Files.writeString(chart, TenantChart.of(outcomes));
            System.out.println("chart: " + chart);
        }
        TenantLoad.Outcome seed = Objects.requireNonNull(outcomes.get(TenantSide.SEED));
        TenantLoad.Outcome ours = Objects.requireNonNull(outcomes.get(TenantSide.OURS));
        List<Row> rows = new ArrayList<>();
        if (mix.p99 != null) {
            rows.add(new Row(
                    "p99 wait of quick tenants: " + mix.name,
                    Unit.MILLIS,
                    Spread.of(seed.percentileOfQuiet(0.99)),
                    Spread.of(ours.percentileOfQuiet(0.99)),
                    Promise.atMost(mix.p99)));
        }
        if (mix.work != null) {
            rows.add(new Row(
                    "work of the others, against a plain pool: " + mix.name,
                    Unit.TIMES,
                    Spread.of(seed.work() / plain),
                    Spread.of(ours.work() / plain),
                    Promise.atLeast(mix.work)));
        }
        return rows;
    }

    /** For the figures: all mixes; in a hurry, what is promised for the document's, played for a shorter time. */
    static List<Row> rows(Effort effort) throws InterruptedException {
        List<Row> rows = new ArrayList<>();
        Path chart = Path.of("isolation-waits.svg");
        try {
            random().play(TenantSide.OURS, WARM_UP);
            for (Mix mix : effort.quick() ? MIXES.subList(0, 1) : MIXES) {
                long length = effort.quick() ? SHORT : mix.length;
                rows.addAll(rows(mix, play(new Mix(mix.name, length, mix.load, mix.p99, mix.work)), chart));
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return rows;
    }
}
