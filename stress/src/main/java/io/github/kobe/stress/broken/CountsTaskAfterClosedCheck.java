package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: a job looks whether the door is open, and is counted later; the end is declared with it in the doorway. */
public final class CountsTaskAfterClosedCheck implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final AtomicInteger inside = new AtomicInteger();
    private volatile boolean closed;
    private volatile boolean terminated;

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        if (closed) {
            return false;
        }
        RaceWindow.gap();
        inside.incrementAndGet();
        crank.note(() -> {
            job.work();
            job.end(true);
            inside.decrementAndGet();
            terminateIfEmpty();
        });
        return true;
    }

    @Override
    public void close() {
        closed = true;
        terminateIfEmpty();
    }

    @Override
    public void stopAll() {
        close();
    }

    private void terminateIfEmpty() {
        if (closed && inside.get() == 0) {
            terminated = true;
        }
    }

    @Override
    public boolean isTerminated() {
        return terminated;
    }

    @Override
    public int held() {
        return inside.get();
    }
}
