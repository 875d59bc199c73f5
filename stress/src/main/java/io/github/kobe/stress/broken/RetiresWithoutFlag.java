package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Flaw: a group at rest leaves the map without a mark on itself, so a job can still go into the one that left, while the next
 * goes into its successor: two caps for one name.
 */
public final class RetiresWithoutFlag implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final ConcurrentHashMap<String, SinglePermitGroup> groups = new ConcurrentHashMap<>();
    private final boolean atOnce;

    /** @param atOnce whether a group leaves with its last job */
    public RetiresWithoutFlag(boolean atOnce) {
        this.atOnce = atOnce;
    }

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        SinglePermitGroup known = groups.computeIfAbsent(group, SinglePermitGroup::new);
        RaceWindow.gap();
        known.admit(job);
        return true;
    }

    @Override
    public void evict(String group) {
        SinglePermitGroup known = groups.get(group);
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
        return groups.values().stream().mapToInt(SinglePermitGroup::held).sum();
    }

    private final class SinglePermitGroup {
        private final String name;
        private final Queue<RecordingTask> queue = new ArrayDeque<>();
        private boolean taken;

        SinglePermitGroup(String name) {
            this.name = name;
        }

        synchronized void admit(RecordingTask job) {
            queue.add(job);
            startNext();
        }

        private void startNext() {
            RecordingTask next = taken ? null : queue.poll();
            if (next != null) {
                taken = true;
                crank.note(() -> run(next));
            }
        }

        private void run(RecordingTask job) {
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
