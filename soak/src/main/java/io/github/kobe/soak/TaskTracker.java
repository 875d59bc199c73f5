package io.github.kobe.soak;

import io.github.kobe.TaskHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The probes of a face that have not been judged. */
final class TaskTracker {

    private final Queue<TrackedTask> open = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    /** Odd while something is done that may cancel any of them; never the same again after that. */
    private final AtomicInteger disturbances = new AtomicInteger();

    /** Takes one in, before its task is handed in. */
    void add(TrackedTask probe) {
        open.add(probe);
        size.incrementAndGet();
    }

    /** For each probe when it is made: to find out later whether {@link #hasDisturbedSince} then. */
    int now() {
        return disturbances.get();
    }

    boolean hasDisturbedSince(int then) {
        return then % 2 == 1 || disturbances.get() != then;
    }

    /** Something is about to be done that may cancel any of them, also those that come until {@link #calm}. */
    void disturb() {
        if (!isDisturbed()) {
            disturbances.incrementAndGet();
        }
    }

    void calm() {
        if (isDisturbed()) {
            disturbances.incrementAndGet();
        }
    }

    boolean isDisturbed() {
        return disturbances.get() % 2 == 1;
    }

    int size() {
        return size.get();
    }

    /** Takes out up to {@code most} of those that are done, looking at the oldest, and has each judged by one thread. */
    void judgeSome(int most, Consumer<TrackedTask> judge) {
        for (int i = 0; i < most; i++) {
            TrackedTask probe = open.poll();
            if (probe == null) {
                return;
            }
            if (isOver(probe)) {
                size.decrementAndGet();
                judge(probe, judge);
            } else {
                open.add(probe);
            }
        }
    }

    private static boolean isOver(TrackedTask probe) {
        TaskHandle<?> handle = probe.handle;
        return probe.dropped || (handle != null && handle.isDone());
    }

    private static void judge(TrackedTask probe, Consumer<TrackedTask> judge) {
        if (!probe.dropped) {
            judge.accept(probe);
        }
    }

    /** Whether the handles of all are done. */
    boolean isDone() {
        return open.stream().allMatch(TaskTracker::isOver);
    }

    /** At rest: judges all, done or not. */
    void judgeAll(Consumer<TrackedTask> judge) {
        for (TrackedTask probe = open.poll(); probe != null; probe = open.poll()) {
            size.decrementAndGet();
            judge(probe, judge);
        }
    }

    /** The first few that are not done. */
    String unfinished() {
        StringBuilder text = new StringBuilder();
        open.stream()
                .filter(probe -> !isOver(probe))
                .limit(5)
                .forEach(probe -> text.append("\n    ").append(probe));
        return text.isEmpty() ? " none" : text.toString();
    }
}
