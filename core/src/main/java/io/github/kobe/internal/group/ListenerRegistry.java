package io.github.kobe.internal.group;

import io.github.kobe.Registration;
import io.github.kobe.TaskLifecycleListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of an executor, in the order in which they were added. Each event reads the array once, so a listener hears of each event that
 * happens after it was added.
 */
public final class ListenerRegistry {

    private static final Entry[] NONE = {};

    /** Never changed in place. Written under the monitor. */
    private volatile Entry[] entries = NONE;

    /** Those that hear of starts. Likewise. */
    private volatile Entry[] startEntries = NONE;

    /** A listener, until it is removed. */
    static final class Entry {
        private final TaskLifecycleListener listener;
        private final boolean observesStarts;
        private volatile boolean removed;

        private Entry(TaskLifecycleListener listener) {
            this.listener = listener;
            this.observesStarts = listener.observesStarts();
        }

        /** The listener; {@code null} if it was removed since the array was read. */
        @Nullable
        TaskLifecycleListener listener() {
            return removed ? null : listener;
        }
    }

    /** Adds {@code listener}. If it was added before, it is called once more for each event. */
    public Registration add(TaskLifecycleListener listener) {
        Entry added = new Entry(Objects.requireNonNull(listener, "listener"));
        synchronized (this) {
            List<Entry> more = new ArrayList<>(List.of(entries));
            more.add(added);
            setEntries(more);
        }
        return () -> remove(added);
    }

    private synchronized void remove(Entry entry) {
        entry.removed = true;
        List<Entry> fewer = new ArrayList<>(List.of(entries));
        fewer.remove(entry); // entries are equal if they are the same
        setEntries(fewer);
    }

    /** Under the monitor. */
    private void setEntries(List<Entry> replacement) {
        entries = replacement.toArray(NONE);
        startEntries = replacement.stream()
                .filter(entry -> entry.observesStarts)
                .toList()
                .toArray(NONE);
    }

    /** Whether there is no listener. */
    boolean isEmpty() {
        return entries.length == 0;
    }

    Entry[] entries() {
        return entries;
    }

    /** The entries of the listeners that hear of starts. */
    Entry[] startEntries() {
        return startEntries;
    }
}
