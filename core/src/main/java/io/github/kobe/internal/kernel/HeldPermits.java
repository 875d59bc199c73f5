package io.github.kobe.internal.kernel;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The permits that the calling thread holds: that of the task that it runs, and those that it acquired as a caller or for a task on a thread
 * that was not made for it. The latter are in a list of the thread. An empty list is {@code null}, so nothing of this library stays reachable from
 * a thread. Its entry in the thread's map stays: each look at the list would make a new one.
 */
public final class HeldPermits {

    private static final ThreadLocal<@Nullable Entry> LAST = new ThreadLocal<>();

    private HeldPermits() {}

    /** One permit in the list of a thread. */
    public static final class Entry {
        private final Thread owner = Thread.currentThread();
        private volatile @Nullable KernelTask<?> holder; // null from when it is removed, by any thread
        private @Nullable Entry older; // used by the owner only

        private Entry(KernelTask<?> holder, @Nullable Entry older) {
            this.holder = holder;
            this.older = older;
        }

        /** The permit is released, on any thread. */
        @SuppressWarnings("ReferenceEquality") // identity of threads
        public void remove() {
            holder = null;
            if (owner == Thread.currentThread()) {
                LAST.set(pruned(LAST.get()));
            }
        }
    }

    /** The calling thread holds the permit of {@code holder} until {@link Entry#remove}. */
    public static Entry add(KernelTask<?> holder) {
        Entry added = new Entry(holder, pruned(LAST.get()));
        LAST.set(added);
        return added;
    }

    /** Whether the calling thread holds a permit of the group {@code key} of {@code dispatcher}. */
    public static boolean holds(Dispatcher dispatcher, String key) {
        return holderOf(dispatcher, key) != null;
    }

    /** What the calling thread holds a permit of {@code key} as; {@code null} if it holds none. */
    static @Nullable KernelTask<?> holderOf(Dispatcher dispatcher, String key) {
        KernelTask<?> task = TaskHome.currentTask();
        if (isOf(dispatcher, key, task)) {
            return task;
        }
        for (Entry entry = last(); entry != null; entry = entry.older) {
            KernelTask<?> holder = entry.holder;
            if (isOf(dispatcher, key, holder)) {
                return holder;
            }
        }
        return null;
    }

    private static boolean isOf(Dispatcher dispatcher, String key, @Nullable KernelTask<?> holder) {
        Group group = holder == null ? null : holder.group();
        return group != null && group.dispatcher == dispatcher && group.key.equals(key);
    }

    /** What the calling thread holds a permit under the global limit as; {@code null} if it holds none. */
    static @Nullable KernelTask<?> globalHolder(Dispatcher dispatcher) {
        for (KernelTask<?> holder : all()) {
            Group group = holder.group();
            if (group != null && group.dispatcher == dispatcher && group.isGloballyLimited()) {
                return holder;
            }
        }
        return null;
    }

    /** All that the calling thread holds permits of groups as, the oldest request last. */
    static List<KernelTask<?>> all() {
        KernelTask<?> task = TaskHome.currentTask();
        Entry last = last();
        if (last == null) {
            return task == null || task.group() == null ? List.of() : List.of(task);
        }
        List<KernelTask<?>> holders = new ArrayList<>();
        if (task != null && task.group() != null) {
            holders.add(task);
        }
        for (Entry entry = last; entry != null; entry = entry.older) {
            KernelTask<?> holder = entry.holder;
            if (holder != null && holder.group() != null) {
                holders.add(holder);
            }
        }
        return holders;
    }

    /** Without what other threads have released. */
    private static @Nullable Entry last() {
        Entry last = LAST.get();
        if (last == null) {
            return null;
        }
        Entry pruned = pruned(last);
        LAST.set(pruned);
        return pruned;
    }

    private static @Nullable Entry pruned(@Nullable Entry last) {
        Entry first = last;
        while (first != null && first.holder == null) {
            first = first.older;
        }
        for (Entry entry = first; entry != null; entry = entry.older) {
            Entry older = entry.older;
            while (older != null && older.holder == null) {
                older = older.older;
            }
            entry.older = older;
        }
        return first;
    }
}
