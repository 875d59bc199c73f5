package io.github.kobe.soak;

import java.time.Duration;

/**
 * What the command line asks for.
 *
 * @param time about how long it takes
 * @param seed what the dice begin with
 * @param patience after how long it is given up that something comes
 * @param help whether only to explain the options
 */
record Options(Duration time, long seed, Duration patience, boolean help) {

    static final String HELP = """
            Runs all four faces of the library together under random load, failures, cancels, changes and shutdowns, checks
            every promise on the way, and ends with a page of figures. Exit code 1 if a promise was broken.

              --minutes N    how long it takes, from 1 to 10080 (default: 60 seconds)
              --seconds N    the same in seconds, from 1
              --seed N       what the dice begin with (default: the clock); threads take their own turns all the same
              --patience N   after how many seconds a wait is given up and threads are dumped (default 60)
              --help         this text

            Under Maven: mvn -q compile exec:exec -pl soak -am -Dsoak.args="--minutes 10 --seed 7"
            """;

    private static final long MOST_MINUTES = 10_080;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    static Options parse(String... args) {
        Duration time = Duration.ofMinutes(1);
        long seed = System.nanoTime();
        Duration patience = PATIENCE;
        boolean help = false;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--minutes" -> time = Duration.ofMinutes(number(args, ++i, 1, MOST_MINUTES));
                case "--seconds" -> time = Duration.ofSeconds(number(args, ++i, 1, 60 * MOST_MINUTES));
                case "--seed" -> seed = number(args, ++i, Long.MIN_VALUE, Long.MAX_VALUE);
                case "--patience" -> patience = Duration.ofSeconds(number(args, ++i, 1, 3600));
                case "--help" -> help = true;
                default -> throw new IllegalArgumentException("unknown argument '" + args[i] + "'");
            }
        }
        return new Options(time, seed, patience, help);
    }

    private static long number(String[] args, int at, long least, long most) {
        String name = args[at - 1];
        if (at == args.length) {
            throw new IllegalArgumentException(name + " needs a number after it");
        }
        try {
            long value = Long.parseLong(args[at]);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " needs a whole number, but got '" + args[at] + "'", e);
        }
        throw new IllegalArgumentException(name + " must be from " + least + " to " + most + ", but is " + args[at]);
    }
}
