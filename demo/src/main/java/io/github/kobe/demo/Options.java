package io.github.kobe.demo;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the command line asks for.
 *
 * @param scenario what to play
 * @param length how long it lasts
 * @param seed the same seed gives the same work at the same times
 * @param report where the report goes; {@code null}: where reports go
 * @param help whether only to explain the options
 */
record Options(
        Scenario scenario,
        Duration length,
        long seed,
        @Nullable Path report,
        boolean help) {

    static final int DEFAULT_SECONDS = 25;
    static final long DEFAULT_SEED = 42;
    static final int LONGEST = 120;

    /**
     * Reads arguments.
     *
     * @throws IllegalArgumentException if they are wrong; the message says what is, in one line
     */
    static Options parse(String... args) {
        Scenario scenario = Scenarios.ALL.get(0);
        int seconds = DEFAULT_SECONDS;
        long seed = DEFAULT_SEED;
        Path report = null;
        boolean help = false;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--scenario" -> scenario = scenario(value(args, ++i));
                case "--seconds" -> seconds = (int) number(args[i], value(args, ++i), 1, LONGEST);
                case "--seed" -> seed = number(args[i], value(args, ++i), Long.MIN_VALUE, Long.MAX_VALUE);
                case "--report" -> report = path(value(args, ++i));
                case "--help", "-h" -> help = true;
                default -> throw new IllegalArgumentException("unknown argument '" + args[i] + "'");
            }
        }
        return new Options(scenario, Duration.ofSeconds(seconds), seed, report, help);
    }

    private static String value(String[] args, int at) {
        if (at == args.length || args[at].isEmpty() || args[at].startsWith("--")) {
            throw new IllegalArgumentException(args[at - 1] + " needs a value after it");
        }
        return args[at];
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

    private static long number(String name, String text, long least, long most) {
        try {
            long value = Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a whole number, but is '" + text + "'", e);
        }
        throw new IllegalArgumentException(name + " must be from " + least + " to " + most + ", but is " + text);
    }
}
