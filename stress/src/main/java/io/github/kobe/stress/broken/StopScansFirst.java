package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.PausingJob;
import io.github.kobe.stress.rig.Subject;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Flaw: a stop looks for jobs first and raises its flag second; one that arrives in between is missed by both. */
public final class StopScansFirst implements Subject {

    private final Crank crank = new Crank();
    private final Set<Job> arrived = ConcurrentHashMap.newKeySet();
    private final Set<Job> decided = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        crank.note(() -> arrive((PausingJob) job));
        return true;
    }

    private void arrive(PausingJob job) {
        arrived.add(job);
        if (stopped) {
            cancel(job);
        }
        job.pause(() -> run(job));
    }

    private void run(Job job) {
        if (decided.add(job)) {
            job.work();
            job.end(true);
        }
        arrived.remove(job);
    }

    @Override
    public boolean cancel(Job job) {
        boolean mine = decided.add(job);
        if (mine) {
            job.end(false);
        }
        return mine;
    }

    @Override
    public void stop(String group) {
        arrived.forEach(this::cancel);
        Flaw.gap();
        stopped = true;
    }

    @Override
    public int held() {
        return arrived.size();
    }
}
