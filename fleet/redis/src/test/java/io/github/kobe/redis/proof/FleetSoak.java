package io.github.kobe.redis.proof;

import io.github.kobe.redis.proof.Fault.Outcome;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Random faults over several JVMs and a real server, for as long as it is told. Prints what was injected, how often, and what the referee saw. Each fault comes once before
 * any comes again.
 */
final class FleetSoak {

    private static final String USAGE = """
            Options: --minutes N or --seconds N (default 60 seconds), --seed N, --nodes N (2 to 6, default 4), --ttl MILLIS (default 2000)""";

    private final PrintStream out;
    private final long seed;
    private final Duration time;
    private final int nodes;
    private final ProofSettings settings;
    private final Map<Fault, Row> rows = new EnumMap<>(Fault.class);
    private final List<String> violations = new ArrayList<>();

    /** What was seen of one fault. */
    private static final class Row {
        private int kept; // without a lapsed lease
        private int keptOvershoot;
        private int lapsed;
        private int lapsedOvershoot;
        private int bound;

        void add(Outcome outcome) {
            if (outcome.lapsed() == 0) {
                kept++;
                keptOvershoot = Math.max(keptOvershoot, outcome.overshoot());
            } else {
                lapsed++;
                if (outcome.overshoot() >= lapsedOvershoot) {
                    lapsedOvershoot = outcome.overshoot();
                    bound = outcome.bound();
                }
            }
        }
    }

    FleetSoak(PrintStream out, Duration time, long seed, int nodes, ProofSettings settings) {
        this.out = out;
        this.time = time;
        this.seed = seed;
        this.nodes = nodes;
        this.settings = settings;
    }

    public static void main(String[] args) {
        Duration time = Duration.ofSeconds(60);
        long seed = System.nanoTime() & 0xffff;
        int nodes = 4;
        long ttl = 2000;
        try {
            for (int i = 0; i < args.length; i += 2) {
                long value = Long.parseLong(args[i + 1]);
                switch (args[i]) {
                    case "--minutes" -> time = Duration.ofMinutes(value);
                    case "--seconds" -> time = Duration.ofSeconds(value);
                    case "--seed" -> seed = value;
                    case "--nodes" -> nodes = Math.toIntExact(value);
                    case "--ttl" -> ttl = value;
                    default -> throw new IllegalArgumentException(args[i]);
                }
            }
        } catch (RuntimeException e) {
            System.err.println("Cannot read " + Arrays.toString(args) + ". " + USAGE);
            System.exit(2);
        }
        FleetSoak soak = new FleetSoak(System.out, time, seed, nodes, ProofSettings.ofTtl(Duration.ofMillis(ttl)));
        System.exit(soak.run() ? 0 : 1);
    }

    /** Returns whether all limits held. */
    boolean run() {
        out.printf(
                "fleet soak: %d JVMs, one Redis, TTL %d ms, %d s, seed %d%n",
                nodes, settings.ttl().toMillis(), time.toSeconds(), seed);
        Random random = new Random(seed);
        long end = System.nanoTime() + time.toNanos();
        long tasks = 0;
        try (ProofFleet fleet = ProofFleet.start(settings, nodes)) {
            try {
                fleet.load();
                List<Fault> next = new ArrayList<>();
                while (System.nanoTime() - end < 0) {
                    if (next.isEmpty()) {
                        next.addAll(List.of(Fault.values()));
                        Collections.shuffle(next, random);
                    }
                    inject(next.removeLast(), fleet, random);
                }
                violations.addAll(fleet.leave());
            } catch (AssertionError | RuntimeException e) {
                violations.add("stopped: " + e);
            }
            for (ProofGroup group : ProofGroup.ofTasks()) {
                tasks += fleet.begun(group);
            }
        }
        report(tasks);
        return violations.isEmpty();
    }

    private void inject(Fault fault, ProofFleet fleet, Random random) {
        Outcome outcome;
        try {
            outcome = fault.inject(fleet, random);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(fault + ", and then: " + e.getMessage(), e);
        }
        rows.computeIfAbsent(fault, key -> new Row()).add(outcome);
        violations.addAll(outcome.violations());
        outcome.violations().forEach(text -> out.println("VIOLATION " + text));
    }

    private void report(long tasks) {
        out.printf("%n%-66s %9s  %21s  %29s%n", "", "", "every lease was valid", "a lease was over");
        String format = "%-66s %9s  %8s  %11s  %8s  %11s  %6s%n";
        out.printf(format, "fault", "injected", "times", "overshoot", "times", "overshoot", "bound");
        int all = 0;
        for (Fault fault : Fault.values()) {
            Row row = rows.getOrDefault(fault, new Row());
            all += row.kept + row.lapsed;
            out.printf(
                    format,
                    fault.text,
                    row.kept + row.lapsed,
                    row.kept,
                    row.kept == 0 ? "" : row.keptOvershoot,
                    row.lapsed,
                    row.lapsed == 0 ? "" : row.lapsedOvershoot,
                    row.lapsed == 0 ? "" : row.bound);
        }
        out.printf(
                Locale.ROOT,
                "%n%d faults, %,d tasks begun. After each fault every node went on in every group.%n",
                all,
                tasks);
        out.println("limits: "
                + Arrays.stream(ProofGroup.values())
                        .map(group -> group + " " + group.limit)
                        .toList());
        violations.forEach(text -> out.println("VIOLATION " + text));
        out.println(
                violations.isEmpty()
                        ? "verdict: every limit held. Overshoot 0 while every lease was valid; otherwise within its bound."
                        : "verdict: VIOLATED, " + violations.size() + " times. Seed " + seed);
    }
}
