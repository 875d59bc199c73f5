package io.github.kobe.soak;

import java.time.Duration;

/**
 * The arguments of the command line.
 *
 * @param time approximate duration of the soak
 * @param seed seed of the random numbers
 * @param waitTimeout after this time a wait is abandoned and reported as a violation
 * @param help whether to print the help text only
 */
record SoakOptions(Duration time, long seed, Duration waitTimeout, boolean help) {

    static final String HELP = """
            Runs all four faces of the library together under random load, with failures, cancellations, changes of settings and
            shutdowns. Checks every promise while they run and prints a summary. The exit code is 1 if a promise was broken.

              --minutes N    duration in minutes, from 1 to 10080 (default: 60 seconds)
              --seconds N    duration in seconds, from 1
              --seed N       seed of the random numbers (default: taken from the clock); thread scheduling stays random
              --patience N   seconds after which a wait is abandoned and all threads are dumped (default 60)
              --help         print this text

            With Maven: mvn -q compile exec:exec -pl soak -am -Dsoak.args="--minutes 10 --seed 7"
            """;

    private static final long MAX_MINUTES = 10_080;
    private static final Duration DEFAULT_WAIT_TIMEOUT = Duration.ofSeconds(60);

    static SoakOptions parse(String... args) {
        Duration time = Duration.ofMinutes(1);
        long seed = System.nanoTime();
        Duration waitTimeout = DEFAULT_WAIT_TIMEOUT;
        boolean help = false;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--minutes" -> time = Duration.ofMinutes(number(args, ++i, 1, MAX_MINUTES));
                case "--seconds" -> time = Duration.ofSeconds(number(args, ++i, 1, 60 * MAX_MINUTES));
                case "--seed" -> seed = number(args, ++i, Long.MIN_VALUE, Long.MAX_VALUE);
                case "--patience" -> waitTimeout = Duration.ofSeconds(number(args, ++i, 1, 3600));
                case "--help" -> help = true;
                default -> throw new IllegalArgumentException("unknown argument '" + args[i] + "'");
            }
        }
        return new SoakOptions(time, seed, waitTimeout, help);
    }

    private static long number(String[] args, int index, long min, long max) {
        String name = args[index - 1];
        if (index == args.length) {
            throw new IllegalArgumentException(name + " needs a number after it");
        }
        try {
            long value = Long.parseLong(args[index]);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " needs a whole number, but got '" + args[index] + "'", e);
        }
        throw new IllegalArgumentException(name + " must be from " + min + " to " + max + ", but is " + args[index]);
    }
}
