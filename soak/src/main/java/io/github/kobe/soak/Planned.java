package io.github.kobe.soak;

/** Thrown on purpose. */
final class Planned extends RuntimeException {

    private static final long serialVersionUID = 1;

    Planned(String where) {
        super("planned, in " + where, null, false, false);
    }

    static void throwIf(boolean bad, String where) {
        if (bad) {
            throw new Planned(where);
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
