package io.github.kobe.soak;

/** Thrown on purpose. */
final class InjectedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    InjectedException(String where) {
        super("planned, in " + where, null, false, false);
    }

    static void throwIf(boolean bad, String where) {
        if (bad) {
            throw new InjectedException(where);
        }
    }

    /** The same as a checked one. */
    static final class Checked extends Exception {

        private static final long serialVersionUID = 1;

        Checked() {
            super("planned, checked");
        }
    }
}
