package io.github.kobe.soak;

import io.github.kobe.TaskHandle;

/** Cancels what it hands in: at once or a moment later, in one of the ways that a handle has. */
final class Canceller {

    /** Hands in a task. */
    interface Door {
        TaskHandle<Object> submit(TrackedTask probe) throws Exception;
    }

    private Canceller() {}

    static void submitAndCancel(TrackedTask probe, Door door, RandomSource random) throws Exception {
        probe.disturbed = true;
        TaskHandle<Object> handle = door.submit(probe);
        if (random.oneIn(2)) {
            Thread.yield();
        }
        switch (random.below(3)) {
            case 0 -> handle.cancel(random.oneIn(2));
            case 1 -> handle.future().cancel(random.oneIn(2));
            default -> handle.toCompletableFuture().cancel(true);
        }
    }
}
