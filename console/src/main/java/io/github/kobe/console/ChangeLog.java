package io.github.kobe.console;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/** The latest changes. Each one is also logged. Thread-safe. */
final class ChangeLog {

    static final int KEPT = 200;

    private static final System.Logger LOG = System.getLogger("io.github.kobe.console");

    private final Deque<Change> latest = new ArrayDeque<>();
    private long number;

    /** Everything that others have chosen must be {@link Printable}. */
    synchronized Change add(String who, String what, String from, String to) {
        Change change = new Change(++number, Instant.now(), who, what, from, to);
        if (latest.size() == KEPT) {
            latest.removeFirst();
        }
        latest.addLast(change);
        LOG.log(System.Logger.Level.INFO, () -> "console: " + who + " changed " + what + " from " + from + " to " + to);
        return change;
    }

    /** Returns the latest changes, the newest first. */
    synchronized List<Change> latest() {
        List<Change> changes = new ArrayList<>(latest);
        Collections.reverse(changes);
        return changes;
    }

    /** Returns how many changes there were. */
    synchronized long count() {
        return number;
    }
}
