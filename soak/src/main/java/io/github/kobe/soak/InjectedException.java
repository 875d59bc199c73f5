package io.github.kobe.soak;

/** An exception that the soak throws on purpose, from tasks and callbacks. */
final class InjectedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Start of the message of every exception and error that the soak throws on purpose. */
    private static final String PREFIX = "injected";

    InjectedException(String source) {
        super(message(source), null, false, false);
    }

    static void throwIf(boolean fail, String source) {
        if (fail) {
            throw new InjectedException(source);
        }
    }

    /** Returns the message of an injected exception or error. */
    static String message(String source) {
        return PREFIX + " in " + source;
    }

    /** Returns whether the soak threw {@code thrown} on purpose. */
    static boolean isInjected(Throwable thrown) {
        return String.valueOf(thrown.getMessage()).startsWith(PREFIX);
    }

    /** The checked variant. */
    static final class Checked extends Exception {

        private static final long serialVersionUID = 1;

        Checked(String source) {
            super(message(source));
        }
    }
}
