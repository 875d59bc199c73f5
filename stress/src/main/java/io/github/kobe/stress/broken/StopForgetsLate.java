package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: a stop cancels all in line, then clears the line; who came in between is cleared but not cancelled. */
public final class StopForgetsLate implements Subject {

    private final Crank crank = new Crank();
    private final ConcurrentLinkedQueue<Job> queue = new ConcurrentLinkedQueue<>();
    private boolean taken; // the one place

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        queue.add(job);
        startNext();
        return true;
    }

    @Override
    public void stop(String group) {
        queue.forEach(job -> job.end(false));
        Flaw.gap();
        queue.clear();
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
