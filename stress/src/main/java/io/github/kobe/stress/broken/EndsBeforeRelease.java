package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: those who wait hear of the end before the place is back, and may find their own last job in the way. */
public final class EndsBeforeRelease implements Subject {

    private final Crank crank = new Crank();
    private final AtomicInteger running = new AtomicInteger();

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        running.incrementAndGet();
        crank.note(() -> {
            job.work();
            job.end(true);
            Flaw.gap();
            running.decrementAndGet();
        });
        return true;
    }

    @Override
    public boolean isEnded(Job job) {
        return job.ends() > 0;
    }

    @Override
    public int held() {
        return running.get();
    }
}
