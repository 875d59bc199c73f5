package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Due;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Flaw: a cancelled job is marked first and leaves the line second. Who finds it in between has spent a place on it, and
 * forgets to use the place for the next.
 */
public final class PlaceGoesWithCancelled implements Subject {

    private final Crank crank = new Crank();
    private final Set<Job> decided = ConcurrentHashMap.newKeySet();
    private final Queue<Job> queue = new ArrayDeque<>();
    private boolean taken; // the one place

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public synchronized boolean submit(String group, Job job) {
        if (taken) {
            queue.add(job);
        } else {
            taken = true;
            start(job);
        }
        return true;
    }

    @Override
    public boolean cancel(Job job) {
        if (!decided.add(job)) {
            return false;
        }
        job.end(false);
        Flaw.gap();
        synchronized (this) {
            queue.remove(job);
        }
        return true;
    }

    @Override
    public synchronized Runnable due(Due kind) {
        Job first = queue.peek();
        return () -> cancel(first);
    }

    private void start(Job job) {
        crank.note(() -> {
            boolean mine = decided.add(job);
            if (mine) {
                job.work();
            }
            release();
            if (mine) {
                job.end(true);
            }
        });
    }

    private synchronized void release() {
        Job next = queue.poll();
        if (next == null) {
            taken = false;
        } else if (!decided.contains(next)) {
            start(next);
        }
    }

    @Override
    public synchronized int held() {
        return queue.size() + (taken ? 1 : 0);
    }
}
