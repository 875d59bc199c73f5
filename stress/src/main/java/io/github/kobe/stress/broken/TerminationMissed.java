package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: the last job looks at the door before it leaves, and the door looks for jobs before it closes: both see the other. */
public final class TerminationMissed implements Subject {

    private final Crank crank = new Crank();
    private final AtomicInteger inside = new AtomicInteger();
    private volatile boolean closed;
    private volatile boolean terminated;

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        inside.incrementAndGet();
        crank.note(() -> {
            job.work();
            job.end(true);
            boolean last = closed;
            Flaw.gap();
            inside.decrementAndGet();
            terminated |= last;
        });
        return true;
    }

    @Override
    public void close() {
        boolean empty = inside.get() == 0;
        Flaw.gap();
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
