package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TestPermitRequest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: a guest that gives up looks whether it has a place, and leaves the line without another look. */
public final class GrantsPermitToWithdrawnRequest implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final ConcurrentLinkedQueue<Object> queue = new ConcurrentLinkedQueue<>();
    private final Set<TestPermitRequest> placed = ConcurrentHashMap.newKeySet();
    private boolean taken; // the one place

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        queue.add(job);
        startNext();
        return true;
    }

    @Override
    public boolean ask(String group, TestPermitRequest guest) {
        queue.add(guest);
        startNext();
        return true;
    }

    private synchronized void startNext() {
        Object next = taken ? null : queue.poll();
        if (next instanceof RecordingTask job) {
            taken = true;
            crank.note(() -> run(job));
        } else if (next instanceof TestPermitRequest guest) {
            taken = true;
            placed.add(guest);
        }
    }

    private void run(RecordingTask job) {
        job.work();
        release();
        job.end(true);
    }

    private void release() {
        synchronized (this) {
            taken = false;
        }
        startNext();
    }

    @Override
    public boolean hasPlaceNow(TestPermitRequest guest) {
        if (placed.contains(guest)) {
            return true;
        }
        RaceWindow.gap();
        queue.remove(guest);
        return false;
    }

    @Override
    public void giveBack(TestPermitRequest guest) {
        release();
    }

    @Override
    public synchronized int held() {
        return queue.size() + (taken ? 1 : 0);
    }
}
