package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.ArrayDeque;
import java.util.Queue;

/** Flaw: a cap that comes late counts what is there in one step and is in force from the next; what moves in between it has wrong. */
public final class CountsBeforeGlobalLimitApplies implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final Queue<RecordingTask> queue = new ArrayDeque<>();
    private final int cap;
    private int running;
    private boolean gated;
    private int gateCap;
    private int gateFree;
    private int gateWaiting;

    /** @param cap how many may run at once while there is no other cap */
    public CountsBeforeGlobalLimitApplies(int cap) {
        this.cap = cap;
    }

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public synchronized boolean submit(String group, RecordingTask job) {
        queue.add(job);
        gateWaiting += gated ? 1 : 0;
        fill();
        return true;
    }

    private void fill() {
        while (running < cap && !queue.isEmpty() && (!gated || gateFree > 0)) {
            RecordingTask next = queue.remove();
            running++;
            gateFree -= gated ? 1 : 0;
            gateWaiting -= gated ? 1 : 0;
            crank.note(() -> run(next));
        }
    }

    private void run(RecordingTask job) {
        job.work();
        synchronized (this) {
            running--;
            gateFree += gated ? 1 : 0;
            fill();
        }
        job.end(true);
    }

    @Override
    public synchronized boolean cancel(RecordingTask job) {
        if (!queue.remove(job)) {
            return false;
        }
        gateWaiting -= gated ? 1 : 0;
        job.end(false);
        return true;
    }

    @Override
    public void resize(int newCap) {
        int used;
        int waiting;
        synchronized (this) {
            used = running;
            waiting = queue.size();
        }
        RaceWindow.gap();
        synchronized (this) {
            gated = true;
            gateCap = newCap;
            gateFree = newCap - used;
            gateWaiting = waiting;
            fill();
        }
    }

    @Override
    public synchronized int held() {
        return running + queue.size() + Math.abs(gateCap - gateFree) + Math.abs(gateWaiting);
    }
}
