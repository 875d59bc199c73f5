package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Flaw: an idle group leaves the map without a retired flag. A task can be admitted to the retired group while the next is
 * admitted to its successor: one key has two limits.
 */
public final class RetiresWithoutFlag implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final ConcurrentHashMap<String, SinglePermitGroup> groups = new ConcurrentHashMap<>();
    private final boolean atOnce;

    /** @param atOnce whether a group retires with its last task */
    public RetiresWithoutFlag(boolean atOnce) {
        this.atOnce = atOnce;
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        SinglePermitGroup existing = groups.computeIfAbsent(group, SinglePermitGroup::new);
        RaceWindow.widen();
        existing.admit(task);
        return true;
    }

    @Override
    public void evict(String group) {
        SinglePermitGroup existing = groups.get(group);
        if (existing != null && existing.occupancy() == 0) {
            groups.remove(group, existing);
        }
    }

    @Override
    public void sweep() {
        groups.keySet().forEach(this::evict);
    }

    @Override
    public int occupancy() {
        return groups.values().stream().mapToInt(SinglePermitGroup::occupancy).sum();
    }

    private final class SinglePermitGroup {
        private final String name;
        private final Queue<RecordingTask> queue = new ArrayDeque<>();
        private boolean permitTaken;

        SinglePermitGroup(String name) {
            this.name = name;
        }

        synchronized void admit(RecordingTask task) {
            queue.add(task);
            startNext();
        }

        private void startNext() {
            RecordingTask next = permitTaken ? null : queue.poll();
            if (next != null) {
                permitTaken = true;
                runner.add(() -> run(next));
            }
        }

        private void run(RecordingTask task) {
            task.runBody();
            synchronized (this) {
                permitTaken = false;
                startNext();
            }
            if (atOnce) {
                evict(name);
            }
            task.recordOutcome(true);
        }

        synchronized int occupancy() {
            return queue.size() + (permitTaken ? 1 : 0);
        }
    }
}
