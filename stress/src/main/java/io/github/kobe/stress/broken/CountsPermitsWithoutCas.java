package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: counts permits in a volatile field without compare-and-set. Of two updates at the same time one is lost. */
public final class CountsPermitsWithoutCas implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final int limit;
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private volatile int running;

    /** @param limit how many tasks may run at once */
    public CountsPermitsWithoutCas(int limit) {
        this.limit = limit;
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        queue.add(task);
        fill();
        return true;
    }

    private void fill() {
        while (running < limit) {
            RecordingTask next = queue.poll();
            if (next == null) {
                return;
            }
            add(1);
            runner.add(() -> run(next));
        }
    }

    private void run(RecordingTask task) {
        task.runBody();
        add(-1);
        fill();
        task.recordOutcome(true);
    }

    private void add(int change) {
        int before = running;
        RaceWindow.widen();
        running = before + change;
    }

    @Override
    public int occupancy() {
        return running + queue.size();
    }
}
