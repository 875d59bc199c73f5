package io.github.kobe.demo;

/**
 * What the command line asks for.
 *
 * @param seconds about how long the show lasts
 * @param seed the same seed gives the same tasks at the same times
 * @param help whether only to explain the options
 */
record Options(int seconds, long seed, boolean help) {

    static final String HELP = """
            Runs tasks of four groups, each under its own limit and all under a global one, and shows them live.

              --seconds N   how long it lasts, 1 to 60 (default 10)
              --seed N      which random traffic to use (default 42)
              --help        this text

            Under Maven: mvn -q compile exec:exec -pl demo -am -Ddemo.args="--seconds 5"
            -Ddemo.live=always|never|auto: redraw in place, print lines, or find out (the default).
            """;

    private static final int LONGEST = 60;

    static Options parse(String... args) {
        int seconds = 10;
        long seed = 42;
        boolean help = false;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--seconds" -> seconds = (int) number(args, ++i, 1, LONGEST);
                case "--seed" -> seed = number(args, ++i, Long.MIN_VALUE, Long.MAX_VALUE);
                case "--help" -> help = true;
                default -> throw new IllegalArgumentException("unknown argument '" + args[i] + "'");
            }
        }
        return new Options(seconds, seed, help);
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
