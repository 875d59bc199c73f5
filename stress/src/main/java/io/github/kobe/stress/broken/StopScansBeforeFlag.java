package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.PausingTask;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Flaw: a stop looks for jobs first and raises its flag second; one that arrives in between is missed by both. */
public final class StopScansBeforeFlag implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final Set<RecordingTask> arrived = ConcurrentHashMap.newKeySet();
    private final Set<RecordingTask> decided = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        crank.note(() -> arrive((PausingTask) job));
        return true;
    }

    private void arrive(PausingTask job) {
        arrived.add(job);
        if (stopped) {
            cancel(job);
        }
        job.pause(() -> run(job));
    }

    private void run(RecordingTask job) {
        if (decided.add(job)) {
            job.work();
            job.end(true);
        }
        arrived.remove(job);
    }

    @Override
    public boolean cancel(RecordingTask job) {
        boolean mine = decided.add(job);
        if (mine) {
            job.end(false);
        }
        return mine;
    }

    @Override
    public void stop(String group) {
        arrived.forEach(this::cancel);
        RaceWindow.gap();
        stopped = true;
    }

    @Override
    public int held() {
        return arrived.size();
    }
}
