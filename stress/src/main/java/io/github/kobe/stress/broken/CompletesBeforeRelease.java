package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: those who wait hear of the end before the place is back, and may find their own last job in the way. */
public final class CompletesBeforeRelease implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final AtomicInteger running = new AtomicInteger();

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        running.incrementAndGet();
        crank.note(() -> {
            job.work();
            job.end(true);
            RaceWindow.gap();
            running.decrementAndGet();
        });
        return true;
    }

    @Override
    public boolean isEnded(RecordingTask job) {
        return job.ends() > 0;
    }

    @Override
    public int held() {
        return running.get();
    }
}
