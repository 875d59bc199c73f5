package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: "no place for me" and "I am in line" are two steps, and the last place can come back between them. */
public final class TwoCounters implements Subject {

    private final Crank crank = new Crank();
    private final AtomicInteger free;
    private final ConcurrentLinkedQueue<Job> queue = new ConcurrentLinkedQueue<>();

    /** @param cap how many may run at once */
    public TwoCounters(int cap) {
        free = new AtomicInteger(cap);
    }

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        if (takePlace()) {
            start(job);
        } else {
            Flaw.gap();
            queue.add(job);
        }
        return true;
    }

    private boolean takePlace() {
        return free.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
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
        if (next != null) {
            start(next);
        } else {
            free.incrementAndGet();
        }
    }

    @Override
    public int held() {
        return queue.size();
    }
}
