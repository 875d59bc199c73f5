package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: it looks whether there is room, on a thread or in line, and takes it in a second step. */
public final class CheckThenAct implements Subject {

    private final Crank crank = new Crank();
    private final int cap;
    private final int threshold;
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger queued = new AtomicInteger();
    private final ConcurrentLinkedQueue<Job> queue = new ConcurrentLinkedQueue<>();

    /**
     * @param cap how many may run at once
     * @param threshold how many may wait
     */
    public CheckThenAct(int cap, int threshold) {
        this.cap = cap;
        this.threshold = threshold;
    }

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        if (running.get() < cap) {
            Flaw.gap();
            running.incrementAndGet();
            start(job);
            return true;
        }
        if (queued.get() < threshold) {
            Flaw.gap();
            queued.incrementAndGet();
            queue.add(job);
            return true;
        }
        return false;
    }

    private void start(Job job) {
        crank.note(() -> {
            job.work();
            release();
            job.end(true);
        });
    }

    private void release() {
        Job next = queue.poll();
        if (next == null) {
            running.decrementAndGet();
        } else {
            queued.decrementAndGet();
            start(next);
        }
    }

    @Override
    public int held() {
        return running.get() + queued.get();
    }
}
