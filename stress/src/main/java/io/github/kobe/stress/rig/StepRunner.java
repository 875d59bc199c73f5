package io.github.kobe.stress.rig;

import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.kernel.TaskRunner;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A runner without threads. Started work waits here until a step of the race runs it, so a race has no steps but its own. */
public final class StepRunner implements TaskRunner {

    private final ConcurrentLinkedQueue<Runnable> started = new ConcurrentLinkedQueue<>();

    /** Keeps a task for a later step. Runs a notification at once, since the caller may wait for it. */
    @Override
    public void start(Runnable work) {
        if (work instanceof KernelTask<?>) {
            add(() -> {
                work.run();
                Thread.interrupted(); // the interrupt is for the task's own thread, and the task has left this one
            });
        } else {
            work.run();
        }
    }

    /** Records {@code work} as started. */
    public void add(Runnable work) {
        started.add(work);
    }

    /** Removes the work that was started first, for a step that runs it later. */
    public Runnable take() {
        return Objects.requireNonNull(started.poll(), "nothing was started");
    }

    /** The amount of started work that was neither taken nor run. */
    public int startedCount() {
        return started.size();
    }

    /** Runs all started work, and the work that it starts. */
    public void runAll() {
        for (Runnable work = started.poll(); work != null; work = started.poll()) {
            work.run();
        }
    }
}
