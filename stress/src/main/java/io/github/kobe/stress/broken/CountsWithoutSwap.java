package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: places in use are a volatile field that everybody adds to; two at once, and one place is lost. */
public final class CountsWithoutSwap implements Subject {

    private final Crank crank = new Crank();
    private final int cap;
    private final ConcurrentLinkedQueue<Job> queue = new ConcurrentLinkedQueue<>();
    private volatile int running;

    /** @param cap how many may run at once */
    public CountsWithoutSwap(int cap) {
        this.cap = cap;
    }

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        queue.add(job);
        fill();
        return true;
    }

    private void fill() {
        while (running < cap) {
            Job next = queue.poll();
            if (next == null) {
                return;
            }
            add(1);
            crank.note(() -> run(next));
        }
    }

    private void run(Job job) {
        job.work();
        add(-1);
        fill();
        job.end(true);
    }

    private void add(int change) {
        int before = running;
        Flaw.gap();
        running = before + change;
    }

    @Override
    public int held() {
        return running + queue.size();
    }
}
