package io.github.kobe.internal.group;

import io.github.kobe.GroupTask;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Spliterator;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides which task of a source is submitted next, if only so many may be outstanding: in total, and of each group.
 *
 * <p>A task whose group has no room is held back, and the source is read further, so that a group that hangs does not keep the tasks of
 * other groups from being submitted. At most {@link #MAX_HELD_BACK} tasks are held back; then the source is not read until one of them can be
 * submitted. The tasks of one group are submitted in the order of the source.
 *
 * <p>A group is in {@code withRoom} exactly if it has a task that is held back, and room for it. So each step takes constant time.
 *
 * <p>For one thread.
 */
final class WindowedSource<T extends @Nullable Object> {

    /** Enough for hundreds of groups that hang, at about a hundred bytes a task. */
    static final int MAX_HELD_BACK = 10_000;

    static final int NO_LIMIT = Integer.MAX_VALUE;

    private final Spliterator<GroupTask<T>> source;
    private final int window;
    private final int windowPerGroup;
    private final Map<String, GroupWindow<T>> groups =
            new HashMap<>(); // with outstanding tasks; empty if there is no limit
    private final Queue<GroupWindow<T>> withRoom = new ArrayDeque<>();
    private int outstanding;
    private int heldBack;
    private long taken;
    private boolean sourceEnded;
    private @Nullable GroupTask<T> read; // by the last call of tryAdvance

    /** The outstanding tasks of one group, and those that are held back until there are fewer. */
    private static final class GroupWindow<T extends @Nullable Object> {
        private final String key;
        private final Deque<GroupTask<T>> heldBack = new ArrayDeque<>(0);
        private int outstanding;

        GroupWindow(String key) {
            this.key = key;
        }
    }

    WindowedSource(Stream<GroupTask<T>> tasks, int window, int windowPerGroup) {
        this.source = tasks.sequential().spliterator();
        this.window = window;
        this.windowPerGroup = windowPerGroup >= window ? NO_LIMIT : windowPerGroup;
    }

    /**
     * Takes the next task that may be submitted, and counts it as outstanding.
     *
     * @param enough asked after each task that is held back; if true, the source is not read further
     * @return {@code null} if there is none now
     */
    @Nullable
    GroupTask<T> next(BooleanSupplier enough) {
        if (outstanding >= window) {
            return null;
        }
        GroupTask<T> next = pollHeldBack();
        while (next == null && !sourceEnded && heldBack < MAX_HELD_BACK) {
            next = read();
            if (next == null && enough.getAsBoolean()) {
                return null;
            }
        }
        if (next != null) {
            outstanding++;
        }
        return next;
    }

    private @Nullable GroupTask<T> pollHeldBack() {
        GroupWindow<T> group = withRoom.poll();
        if (group == null) {
            return null;
        }
        GroupTask<T> task = group.heldBack.remove();
        heldBack--;
        group.outstanding++;
        addIfItHasRoom(group);
        return task;
    }

    /** Reads one task. Returns {@code null} if it is held back, or if there was none. */
    private @Nullable GroupTask<T> read() {
        sourceEnded = !source.tryAdvance(this::accept);
        GroupTask<T> task = read;
        read = null;
        if (task == null || windowPerGroup == NO_LIMIT) {
            return task;
        }
        GroupWindow<T> group = groups.computeIfAbsent(task.groupKey(), GroupWindow::new);
        if (group.outstanding
                < windowPerGroup) { // then nothing of the group is held back: that would have been taken first
            group.outstanding++;
            return task;
        }
        group.heldBack.add(task);
        heldBack++;
        return null;
    }

    private void accept(GroupTask<T> task) {
        long index = taken++;
        read = Objects.requireNonNull(task, () -> "tasks[" + index + "]");
    }

    /** A task of {@code groupKey} is not outstanding any more. */
    void release(String groupKey) {
        outstanding--;
        GroupWindow<T> group = groups.get(groupKey);
        if (group == null) {
            return;
        }
        if (group.outstanding-- == windowPerGroup) {
            addIfItHasRoom(group); // it had no room, so it was not there
        }
        if (group.outstanding == 0 && group.heldBack.isEmpty()) {
            groups.remove(group.key);
        }
    }

    private void addIfItHasRoom(GroupWindow<T> group) {
        if (!group.heldBack.isEmpty() && group.outstanding < windowPerGroup) {
            withRoom.add(group);
        }
    }

    /** Whether all tasks were taken. */
    boolean isExhausted() {
        return sourceEnded && heldBack == 0;
    }

    /** How many tasks were read and not taken. */
    int heldBack() {
        return heldBack;
    }
}
