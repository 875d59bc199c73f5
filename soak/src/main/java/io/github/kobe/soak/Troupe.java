package io.github.kobe.soak;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The probes of a face that have not been judged. */
final class Troupe {

    private final Queue<Probe> open = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private volatile boolean allDisturbed;

    /** Takes one in, before its task is handed in. */
    void add(Probe probe) {
        open.add(probe);
        size.incrementAndGet();
        if (allDisturbed) {
            probe.disturbed = true;
        }
    }

    /** Something is about to be done that may cancel any of them, also those that come until {@link #calm}. */
    void disturb() {
        allDisturbed = true;
        for (Probe probe : open) {
            probe.disturbed = true;
        }
    }

    void calm() {
        allDisturbed = false;
    }

    boolean isDisturbed() {
        return allDisturbed;
    }

    int size() {
        return size.get();
    }

    /** The handle was not to be had: there will be nothing to judge. */
    void drop(Probe probe) {
        if (open.remove(probe)) {
            size.decrementAndGet();
        }
    }

    /** Takes out up to {@code most} of those that are done, looking at the oldest, and has each judged by one thread. */
    void judgeSome(int most, Consumer<Probe> judge) {
        for (int i = 0; i < most; i++) {
            Probe probe = open.poll();
            if (probe == null) {
                return;
            }
            var handle = probe.handle;
            if (handle != null && handle.isDone()) {
                size.decrementAndGet();
                judge.accept(probe);
            } else {
                open.add(probe);
            }
        }
    }

    /** Whether the handles of all are done. */
    boolean isDone() {
        for (Probe probe : open) {
            var handle = probe.handle;
            if (handle == null || !handle.isDone()) {
                return false;
            }
        }
        return true;
    }

    /** At rest: judges all, done or not. */
    void judgeAll(Consumer<Probe> judge) {
        for (Probe probe = open.poll(); probe != null; probe = open.poll()) {
            size.decrementAndGet();
            judge.accept(probe);
        }
    }

    /** The first few that are not done. */
    String unfinished() {
        StringBuilder text = new StringBuilder();
        open.stream()
                .filter(p -> p.handle == null || !p.handle.isDone())
                .limit(5)
                .forEach(p -> text.append("\n    ").append(p));
        return text.isEmpty() ? " none" : text.toString();
    }
}
