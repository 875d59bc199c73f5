package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: places in use are a volatile field that everybody adds to; two at once, and one place is lost. */
public final class CountsPermitsWithoutCas implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final int cap;
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private volatile int running;

    /** @param cap how many may run at once */
    public CountsPermitsWithoutCas(int cap) {
        this.cap = cap;
    }

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        queue.add(job);
        fill();
        return true;
    }

    private void fill() {
        while (running < cap) {
            RecordingTask next = queue.poll();
            if (next == null) {
                return;
            }
            add(1);
            crank.note(() -> run(next));
        }
    }

    private void run(RecordingTask job) {
        job.work();
        add(-1);
        fill();
        job.end(true);
    }

    private void add(int change) {
        int before = running;
        RaceWindow.gap();
        running = before + change;
    }

    @Override
    public int held() {
        return running + queue.size();
    }
}
