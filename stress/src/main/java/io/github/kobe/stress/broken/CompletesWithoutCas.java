package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TimerEvent;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Flaw: whether a job has ended is looked up in one step and noted in the next, so it can end twice. */
public final class CompletesWithoutCas implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final Set<RecordingTask> ended = ConcurrentHashMap.newKeySet();
    private final List<RecordingTask> all = new CopyOnWriteArrayList<>();

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
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
    public boolean cancel(RecordingTask job) {
        return end(job, false);
    }

    @Override
    public void stop(String group) {
        all.forEach(this::cancel);
    }

    @Override
    public Runnable due(TimerEvent kind) {
        RecordingTask first = all.get(0);
        return () -> cancel(first);
    }

    private boolean end(RecordingTask job, boolean ran) {
        if (ended.contains(job)) {
            return false;
        }
        RaceWindow.gap();
        ended.add(job);
        job.end(ran);
        return true;
    }

    @Override
    public int held() {
        return 0;
    }
}
