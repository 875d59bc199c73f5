package io.github.kobe.demo;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of the command line.
 *
 * @param scenario the scenario to run
 * @param length the length of the run
 * @param seed the same seed gives the same work at the same times
 * @param report the file of the report; {@code null} for the default
 * @param console the scenarios to play with a console until the demo is stopped; empty if there is no console
 * @param help whether to print the help and exit
 */
record DemoOptions(
        Scenario scenario,
        Duration length,
        long seed,
        @Nullable Path report,
        List<Scenario> console,
        boolean help) {

    private static final int DEFAULT_SECONDS = 25;
    private static final long DEFAULT_SEED = 42;
    private static final int MAX_SECONDS = 120;

    /**
     * Parses arguments.
     *
     * @throws IllegalArgumentException if an argument is wrong; the message names it in one line
     */
    static DemoOptions parse(String... args) {
        Scenario scenario = null;
        boolean console = false;
        Integer seconds = null;
        long seed = DEFAULT_SEED;
        Path report = null;
        boolean help = false;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--scenario" -> scenario = scenario(value(args, ++i));
                case "--seconds" -> seconds = (int) number(args[i], value(args, ++i), 1, MAX_SECONDS);
                case "--seed" -> seed = number(args[i], value(args, ++i), Long.MIN_VALUE, Long.MAX_VALUE);
                case "--console" -> console = true;
                case "--report" -> report = path(value(args, ++i));
                case "--help", "-h" -> help = true;
                default -> throw new IllegalArgumentException("unknown argument '" + args[i] + "'");
            }
        }
        if (console && (seconds != null || report != null)) {
            throw new IllegalArgumentException("--console goes on until it is stopped, without --seconds and --report");
        }
        return new DemoOptions(
                scenario == null ? Scenarios.ALL.get(0) : scenario,
                Duration.ofSeconds(seconds == null ? DEFAULT_SECONDS : seconds),
                seed,
                report,
                console ? onConsole(scenario) : List.of(),
                help);
    }

    private static List<Scenario> onConsole(@Nullable Scenario chosen) {
        if (chosen == null) {
            return Scenarios.ALL.stream().filter(Scenario::hasConsole).toList();
        }
        if (!chosen.hasConsole()) {
            throw new IllegalArgumentException(
                    "--console shows executors, and the scenario '" + chosen.name() + "' has none");
        }
        return List.of(chosen);
    }

    private static String value(String[] args, int index) {
        if (index == args.length || args[index].isEmpty() || args[index].startsWith("--")) {
            throw new IllegalArgumentException(args[index - 1] + " needs a value after it");
        }
        return args[index];
    }

    private static Scenario scenario(String name) {
        return Scenarios.named(name)
                .orElseThrow(() -> new IllegalArgumentException(
                        "--scenario must be one of " + Scenarios.names() + ", but is '" + name + "'"));
    }

    private static Path path(String name) {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("--report must be a file name, but is '" + name + "'", e);
        }
    }

    private static long number(String option, String text, long min, long max) {
        try {
            long value = Long.parseLong(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " must be a whole number, but is '" + text + "'", e);
        }
        throw new IllegalArgumentException(option + " must be from " + min + " to " + max + ", but is " + text);
    }

    static List<String> usage() {
        List<String> lines = new ArrayList<>();
        lines.add("Runs the same work on a plain executor and on this library at the same time,");
        lines.add("shows both live, prints a verdict, and writes a report with charts.");
        lines.add("");
        lines.add("  --scenario NAME  the scenario to run, see below (default "
                + Scenarios.ALL.get(0).name() + ")");
        lines.add(
                "  --seconds N      the length of the run, 1 to " + MAX_SECONDS + " (default " + DEFAULT_SECONDS + ")");
        lines.add("  --seed N         varies when tasks are submitted and how long they take; the same");
        lines.add("                   seed gives the same work (default " + DEFAULT_SEED + ")");
        lines.add("  --report FILE    the file of the report (default demo/target/demo-NAME.html)");
        lines.add("  --console        plays the scenario, or all that have an executor, on this library");
        lines.add("                   alone until you press Ctrl-C, with a page to watch and steer it");
        lines.add("  --help           prints this text");
        lines.add("");
        lines.add("Scenarios:");
        for (Scenario scenario : Scenarios.ALL) {
            lines.add("");
            lines.add("  " + scenario.name() + ": " + scenario.plain().title() + " against "
                    + scenario.library().title());
            scenario.about().forEach(line -> lines.add("    " + line));
        }
        lines.add("");
        lines.add("Examples:");
        lines.add("  ./play");
        lines.add("  ./play --scenario scope");
        lines.add("  ./play --console --scenario limits");
        lines.add("  mvn -q compile exec:exec -pl demo -am -Ddemo.args=\"--seconds 60 --seed 7\"");
        lines.add("");
        lines.add("DEMO_LIVE=always|never|auto in the environment, or -Ddemo.live=... with Maven: redraw");
        lines.add("in place, print a line each second, or decide by the kind of output (the default).");
        lines.add("NO_COLOR in the environment: no colours.");
        lines.add("Exit codes: 0 if all is well, 1 if a promise was broken, 2 if an argument is wrong.");
        return lines;
    }
}
