package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Flaw: a group at rest leaves the map without a mark on itself, so a job can still go into the one that left, while the next
 * goes into its successor: two caps for one name.
 */
public final class RetireWithoutFlag implements Subject {

    private final Crank crank = new Crank();
    private final ConcurrentHashMap<String, OnePlace> groups = new ConcurrentHashMap<>();
    private final boolean atOnce;

    /** @param atOnce whether a group leaves with its last job */
    public RetireWithoutFlag(boolean atOnce) {
        this.atOnce = atOnce;
    }

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        OnePlace known = groups.computeIfAbsent(group, OnePlace::new);
        Flaw.gap();
        known.admit(job);
        return true;
    }

    @Override
    public void evict(String group) {
        OnePlace known = groups.get(group);
        if (known != null && known.held() == 0) {
            groups.remove(group, known);
        }
    }

    @Override
    public void sweep() {
        groups.keySet().forEach(this::evict);
    }

    @Override
    public int held() {
        return groups.values().stream().mapToInt(OnePlace::held).sum();
    }

    private final class OnePlace {
        private final String name;
        private final Queue<Job> queue = new ArrayDeque<>();
        private boolean taken;

        OnePlace(String name) {
            this.name = name;
        }

        synchronized void admit(Job job) {
            queue.add(job);
            startNext();
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
            if (atOnce) {
                evict(name);
            }
            job.end(true);
        }

        synchronized int held() {
            return queue.size() + (taken ? 1 : 0);
        }
    }
}
