package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Due;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: where a job is that has failed, or waits, or has ended, is looked up in one step and acted on in the next; so one that is over
 * keeps its place, one place comes back twice, and one expires that is not in line any more.
 */
public final class DelayUnguarded implements Subject {

    private final Crank crank = new Crank();
    private final ConcurrentLinkedQueue<Job> queue = new ConcurrentLinkedQueue<>();
    private final Set<Job> delayed = ConcurrentHashMap.newKeySet(); // each with its place
    private final Set<Job> decided = ConcurrentHashMap.newKeySet();
    private int free = 1;

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

    private synchronized void startNext() {
        Job next = free > 0 ? queue.poll() : null;
        if (next != null) {
            free--;
            crank.note(() -> run(next));
        }
    }

    private void run(Job job) {
        if (!decided.contains(job)) {
            job.work();
            if (job.failed() && !decided.contains(job)) {
                Flaw.gap();
                delayed.add(job);
                return;
            }
            end(job, true);
        }
        release();
    }

    private boolean end(Job job, boolean ran) {
        boolean mine = decided.add(job);
        if (mine) {
            job.end(ran);
        }
        return mine;
    }

    private void release() {
        synchronized (this) {
            free++;
        }
        startNext();
    }

    @Override
    public boolean cancel(Job job) {
        boolean mine = end(job, false);
        queue.remove(job);
        if (delayed.remove(job)) {
            release();
        }
        return mine;
    }

    @Override
    public Runnable due(Due kind) {
        if (kind == Due.EXPIRY) {
            Job first = queue.peek();
            return () -> expire(first);
        }
        return delayed.isEmpty() ? null : this::comeBack;
    }

    private void expire(Job job) {
        if (queue.contains(job)) {
            Flaw.gap();
            cancel(job);
        }
    }

    private void comeBack() {
        for (Job job : delayed) {
            Flaw.gap();
            delayed.remove(job);
            crank.note(() -> run(job));
        }
    }

    @Override
    public int queued() {
        return queue.size();
    }

    @Override
    public synchronized int held() {
        return 1 - free + queue.size();
    }
}
