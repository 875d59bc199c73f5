package io.github.kobe.redis.proof;

import io.github.kobe.redis.kit.RedisBinary;
import io.github.kobe.redis.proof.Fault.Outcome;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Random faults over several JVMs and a real server, for as long as it is told. Prints what was injected, how often, and what the referee saw. Each fault comes once before
 * any comes again.
 */
final class FleetSoak {

    private static final String USAGE = """
            Options: --minutes N or --seconds N (default 60 seconds), --seed N, --nodes N (2 to 6, default 4), --ttl MILLIS (default 2000), \
            --server NAME (redis-server or valkey-server on the path; default embedded, the one that the tests bring with them)""";

    private static final String PAIR = "two of these at once";

    private final PrintStream out;
    private final long seed;
    private final Duration time;
    private final int nodes;
    private final ProofSettings settings;
    private final RedisBinary server;
    private final Map<String, Row> rows = new LinkedHashMap<>(); // by what the fault is
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

    FleetSoak(PrintStream out, Duration time, long seed, int nodes, ProofSettings settings, RedisBinary server) {
        this.server = server;
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
        RedisBinary server = RedisBinary.embedded();
        try {
            for (int i = 0; i < args.length; i += 2) {
                String value = args[i + 1];
                switch (args[i]) {
                    case "--minutes" -> time = Duration.ofMinutes(Long.parseLong(value));
                    case "--seconds" -> time = Duration.ofSeconds(Long.parseLong(value));
                    case "--seed" -> seed = Long.parseLong(value);
                    case "--nodes" -> nodes = Integer.parseInt(value);
                    case "--ttl" -> ttl = Long.parseLong(value);
                    case "--server" -> server = RedisBinary.named(value);
                    default -> throw new IllegalArgumentException(args[i]);
                }
            }
        } catch (RuntimeException e) {
            System.err.println("Cannot read " + Arrays.toString(args) + ". " + USAGE);
            System.exit(2);
        }
        FleetSoak soak =
                new FleetSoak(System.out, time, seed, nodes, ProofSettings.ofTtl(Duration.ofMillis(ttl)), server);
        System.exit(soak.run() ? 0 : 1);
    }

    /** Returns whether all limits held. */
    boolean run() {
        out.printf(
                "fleet soak: %d JVMs, one Redis (%s), TTL %d ms, %d s, seed %d%n",
                nodes, server, settings.ttl().toMillis(), time.toSeconds(), seed);
        Random random = new Random(seed);
        long end = System.nanoTime() + time.toNanos();
        long tasks = 0;
        try (ProofFleet fleet = ProofFleet.start(server, settings, nodes)) {
            List<Fault> possible = Stream.of(Fault.values())
                    .filter(fault -> fault.isPossible(fleet))
                    .toList();
            if (possible.size() < Fault.values().length) {
                out.println("no libfaketime for this server: its time is not set");
            }
            try {
                fleet.load();
                List<Fault> next = new ArrayList<>();
                while (System.nanoTime() - end < 0) {
                    if (next.isEmpty()) {
                        next.addAll(possible);
                        Collections.shuffle(next, random);
                    }
                    inject(next.removeLast(), fleet, random);
                    if (nodes > 2) {
                        injectPair(possible, fleet, random);
                    }
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
        note(fault.text, outcome);
    }

    private void note(String what, Outcome outcome) {
        rows.computeIfAbsent(what, key -> new Row()).add(outcome);
        violations.addAll(outcome.violations());
        outcome.violations().forEach(text -> out.println("VIOLATION " + text));
    }

    /** One fault lasts, and another one happens meanwhile. */
    private void injectPair(List<Fault> possible, ProofFleet fleet, Random random) {
        List<Fault> lasting = possible.stream().filter(Fault::lasts).toList();
        Fault first = lasting.get(random.nextInt(lasting.size()));
        Fault second = possible.get(random.nextInt(possible.size()));
        if (second == Fault.CUT_OFF_ALL_LONG) {
            return; // it contains the first one
        }
        try {
            note(PAIR, second.injectDuring(first, fleet, random));
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(first + " and " + second + ", and then: " + e.getMessage(), e);
        }
    }

    private void report(long tasks) {
        out.printf("%n%-66s %9s  %21s  %29s%n", "", "", "every lease was valid", "a lease was over");
        String format = "%-66s %9s  %8s  %11s  %8s  %11s  %6s%n";
        out.printf(format, "fault", "injected", "times", "overshoot", "times", "overshoot", "bound");
        int all = 0;
        List<String> kinds = new ArrayList<>(
                Stream.of(Fault.values()).map(fault -> fault.text).toList());
        kinds.add(PAIR);
        for (String kind : kinds) {
            Row row = rows.getOrDefault(kind, new Row());
            all += row.kept + row.lapsed;
            out.printf(
                    format,
                    kind,
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
