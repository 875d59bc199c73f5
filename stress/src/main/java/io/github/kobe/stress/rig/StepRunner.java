package io.github.kobe.stress.rig;

import io.github.kobe.internal.kernel.KernelTask;
import io.github.kobe.internal.kernel.TaskRunner;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Stands in for threads: what is started waits here until a step of the race turns it, so a race has no steps but its own. */
public final class StepRunner implements TaskRunner {

    private final ConcurrentLinkedQueue<Runnable> started = new ConcurrentLinkedQueue<>();

    /** Announcements come this way too; they are done on the spot, since the caller may wait for them. */
    @Override
    public void start(Runnable work) {
        if (work instanceof KernelTask<?>) {
            note(() -> {
                work.run();
                Thread.interrupted(); // meant for a thread that would be gone by now; ours has to wait for others
            });
        } else {
            work.run();
        }
    }

    /** Notes {@code work} as started. */
    public void note(Runnable work) {
        started.add(work);
    }

    /** Takes out the one that was started first, for a step that runs it later. */
    public Runnable take() {
        return Objects.requireNonNull(started.poll(), "nothing was started");
    }

    /** How many were started, and neither taken nor run. */
    public int waiting() {
        return started.size();
    }

    /** Runs what was started, and what that starts. */
    public void turn() {
        for (Runnable work = started.poll(); work != null; work = started.poll()) {
            work.run();
        }
    }
}
