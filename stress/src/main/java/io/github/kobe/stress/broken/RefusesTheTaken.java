package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: a job that is one too many, or the oldest that is to make room for it, is taken out of the line without a look at whether
 * somebody has started it.
 */
public final class RefusesTheTaken implements Subject {

    private final Crank crank = new Crank();
    private final int threshold;
    private final ConcurrentLinkedQueue<Job> queue = new ConcurrentLinkedQueue<>();
    private boolean taken; // the one place

    /** @param threshold how many may wait */
    public RefusesTheTaken(int threshold) {
        this.threshold = threshold;
    }

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        queue.add(job);
        if (queue.size() > threshold) {
            Flaw.gap();
            queue.remove(job);
            return false;
        }
        startNext();
        return true;
    }

    @Override
    public boolean submitDisplacing(String group, Job job) {
        Job oldest = queue.size() < threshold ? null : queue.peek();
        if (oldest != null) {
            Flaw.gap();
            queue.remove(oldest);
            oldest.end(false);
        }
        queue.add(job);
        startNext();
        return true;
    }

    private synchronized void startNext() {
        Job next = taken ? null : queue.poll();
        if (next != null) {
            taken = true;
            crank.note(() -> run(next));
        }
    }

    private void run(Job job) {
        job.work();
        synchronized (this) {
            taken = false;
        }
        startNext();
        job.end(true);
    }

    @Override
    public synchronized int held() {
        return queue.size() + (taken ? 1 : 0);
    }
}
