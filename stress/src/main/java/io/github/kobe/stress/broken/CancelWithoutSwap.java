package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Due;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Flaw: whether a job has ended is looked up in one step and noted in the next, so it can end twice. */
public final class CancelWithoutSwap implements Subject {

    private final Crank crank = new Crank();
    private final Set<Job> ended = ConcurrentHashMap.newKeySet();
    private final List<Job> all = new CopyOnWriteArrayList<>();

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        all.add(job);
        crank.note(() -> {
            if (!ended.contains(job)) {
                job.work();
                end(job, true);
            }
        });
        return true;
    }

    @Override
    public boolean cancel(Job job) {
        return end(job, false);
    }

    @Override
    public void stop(String group) {
        all.forEach(this::cancel);
    }

    @Override
    public Runnable due(Due kind) {
        Job first = all.get(0);
        return () -> cancel(first);
    }

    private boolean end(Job job, boolean ran) {
        if (ended.contains(job)) {
            return false;
        }
        Flaw.gap();
        ended.add(job);
        job.end(ran);
        return true;
    }

    @Override
    public int held() {
        return 0;
    }
}
