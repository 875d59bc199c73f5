package io.github.kobe.internal.group;

import io.github.kobe.Registration;
import io.github.kobe.TaskLifecycleListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of an executor, in the order in which they were added. Each event reads the list once, so a listener hears of each event that
 * happens after it was added.
 */
public final class ListenerRegistry {

    /** In the order of registration. Guarded by this. */
    private final List<Entry> entries = new ArrayList<>();

    /** Written under the monitor. */
    private volatile @Nullable Chain all;

    /** Those that hear of starts. Likewise. */
    private volatile @Nullable Chain ofStarts;

    /** A listener, until it is removed. */
    private static final class Entry {
        private final TaskLifecycleListener listener;
        private final boolean observesStarts;
        private final boolean mayBlock;
        private volatile boolean removed;

        private Entry(TaskLifecycleListener listener) {
            this.listener = listener;
            this.observesStarts = listener.observesStarts();
            this.mayBlock = listener.mayBlock();
        }
    }

    /** A listener and those after it. A list, so that an event needs a single reference to know whom to call, now and next. Never changed. */
    static final class Chain {
        private final Entry entry;
        private final @Nullable Chain next;

        private Chain(Entry entry, @Nullable Chain next) {
            this.entry = entry;
            this.next = next;
        }

        /** The listener; {@code null} if it was removed since the list was read. */
        @Nullable
        TaskLifecycleListener listener() {
            return entry.removed ? null : entry.listener;
        }

        boolean mayBlock() {
            return entry.mayBlock;
        }

        /** The listeners after it; {@code null} if it is the last. */
        @Nullable
        Chain next() {
            return next;
        }
    }

    /** Adds {@code listener}. If it was added before, it is called once more for each event. */
    public Registration add(TaskLifecycleListener listener) {
        Entry added = new Entry(Objects.requireNonNull(listener, "listener"));
        synchronized (this) {
            entries.add(added);
            link();
        }
        return () -> remove(added);
    }

    private synchronized void remove(Entry entry) {
        entry.removed = true;
        entries.remove(entry); // entries are equal if they are the same
        link();
    }

    /** Under the monitor. */
    private void link() {
        Chain linked = null;
        Chain linkedOfStarts = null;
        for (Entry entry : entries.reversed()) {
            linked = new Chain(entry, linked);
            linkedOfStarts = entry.observesStarts ? new Chain(entry, linkedOfStarts) : linkedOfStarts;
        }
        all = linked;
        ofStarts = linkedOfStarts;
    }

    /** Whether there is no listener. */
    boolean isEmpty() {
        return all == null;
    }

    /** All listeners; {@code null} if there is none. */
    @Nullable
    Chain all() {
        return all;
    }

    /** The listeners that hear of starts; {@code null} if there is none. */
    @Nullable
    Chain ofStarts() {
        return ofStarts;
    }
}
