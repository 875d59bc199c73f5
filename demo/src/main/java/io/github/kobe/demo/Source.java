package io.github.kobe.demo;

/**
 * A source of work such as a tenant or a group: one row of every table.
 *
 * @param name the name of the row
 * @param kind the kind of source; the verdict summarises by kind
 * @param limit how many of its tasks may run at the same time
 */
record Source(String name, String kind, int limit) {

    static final int NO_LIMIT = Integer.MAX_VALUE;

    /** Creates a source without a limit of its own. */
    Source(String name, String kind) {
        this(name, kind, NO_LIMIT);
    }

    boolean isLimited() {
        return limit != NO_LIMIT;
    }
}
