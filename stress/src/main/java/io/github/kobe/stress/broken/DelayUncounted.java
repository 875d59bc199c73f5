package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Due;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: a job that is to be tried again gives its place back first, and is counted as one that comes again second; a group that
 * is looked at in between seems to be at rest, and leaves.
 */
public final class DelayUncounted implements Subject {

    private final Crank crank = new Crank();
    private final ConcurrentHashMap<String, OnePlace> groups = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Runnable> retries = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        while (!groups.computeIfAbsent(group, OnePlace::new).admit(job)) {
            Thread.onSpinWait(); // it has left, and will be out of the map in a moment
        }
        return true;
    }

    @Override
    public void evict(String group) {
        OnePlace known = groups.get(group);
        if (known != null) {
            known.leaveIfAtRest();
        }
    }

    @Override
    public void close() {
        closed = true;
        groups.keySet().forEach(this::evict);
    }

    @Override
    public boolean isTerminated() {
        return closed && groups.isEmpty();
    }

    @Override
    public Runnable due(Due kind) {
        return retries.poll();
    }

    @Override
    public int held() {
        return groups.size();
    }

    private final class OnePlace {
        private final String name;
        private final Queue<Job> queue = new ArrayDeque<>();
        private boolean taken;
        private boolean gone;
        private int delayed;

        OnePlace(String name) {
            this.name = name;
        }

        synchronized boolean admit(Job job) {
            if (!gone) {
                queue.add(job);
                startNext();
            }
            return !gone;
        }

        private void startNext() {
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
                startNext();
            }
            if (job.failed()) {
                Flaw.gap();
                comeAgain(job);
            } else {
                job.end(true);
            }
            leaveIfAtRest();
        }

        private synchronized void comeAgain(Job job) {
            delayed++;
            retries.add(() -> comeBack(job));
        }

        private synchronized void comeBack(Job job) {
            delayed--;
            queue.add(job);
            startNext();
        }

        synchronized void leaveIfAtRest() {
            if (!taken && queue.isEmpty() && delayed == 0) {
                gone = true;
                groups.remove(name, this);
            }
        }
    }
}
