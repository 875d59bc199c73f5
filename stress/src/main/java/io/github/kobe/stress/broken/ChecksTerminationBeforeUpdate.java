package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: the last job looks at the door before it leaves, and the door looks for jobs before it closes: both see the other. */
public final class ChecksTerminationBeforeUpdate implements SchedulerUnderTest {

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
        inside.incrementAndGet();
        crank.note(() -> {
            job.work();
            job.end(true);
            boolean last = closed;
            RaceWindow.gap();
            inside.decrementAndGet();
            terminated |= last;
        });
        return true;
    }

    @Override
    public void close() {
        boolean empty = inside.get() == 0;
        RaceWindow.gap();
        closed = true;
        terminated |= empty;
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
