package io.github.kobe.demo;

import java.util.List;

/** A show: the same work on a plain executor and on one of this library's. */
interface Scenario {

    /** What the command line calls it. */
    String name();

    /** What is played, in less than a line. */
    String summary();

    /** What is played and what to look at, in a few lines of at most 76 characters. */
    List<String> about();

    Words words();

    List<Traffic> traffic();

    /** The kind of role whose wait matters most. */
    String focus();

    /** A wait up to this is fine. */
    default double fineMillis() {
        return 25;
    }

    Contender plain();

    Contender ours();

    /** Whether the second bar shows work that has leaked, and not who waits. */
    default boolean showsLeaks() {
        return false;
    }

    /** The last column of the verdict. */
    String extra(List<RowOutcome> kind);

    /** What came of it, in one sentence that is true of these figures. */
    String verdict(Outcome outcome);

    /** What this library promised and did not keep; empty if all is well. */
    List<String> broken(SideOutcome ours);

    default List<Role> roles() {
        return traffic().stream().map(Traffic::role).toList();
    }
}
