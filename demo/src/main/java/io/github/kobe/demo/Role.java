package io.github.kobe.demo;

/**
 * Somebody whose work is played: a row of every table.
 *
 * @param name the row
 * @param kind what it is one of; verdicts are by kind
 * @param limit how many of its tasks may run at once
 */
record Role(String name, String kind, int limit) {

    static final int NO_LIMIT = Integer.MAX_VALUE;

    /** Without a limit of its own. */
    Role(String name, String kind) {
        this(name, kind, NO_LIMIT);
    }

    boolean isLimited() {
        return limit != NO_LIMIT;
    }
}
