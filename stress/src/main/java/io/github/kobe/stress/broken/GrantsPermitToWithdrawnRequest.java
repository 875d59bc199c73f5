package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TestPermitRequest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: a withdrawal checks for a grant in one step and dequeues the request in the next. The permit can be granted in between,
 * and is lost.
 */
public final class GrantsPermitToWithdrawnRequest implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final ConcurrentLinkedQueue<Object> queue = new ConcurrentLinkedQueue<>();
    private final Set<TestPermitRequest> granted = ConcurrentHashMap.newKeySet();
    private boolean permitTaken; // the only permit

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        queue.add(task);
        startNext();
        return true;
    }

    @Override
    public boolean requestPermit(String group, TestPermitRequest request) {
        queue.add(request);
        startNext();
        return true;
    }

    private synchronized void startNext() {
        Object next = permitTaken ? null : queue.poll();
        if (next instanceof RecordingTask task) {
            permitTaken = true;
            runner.add(() -> run(task));
        } else if (next instanceof TestPermitRequest request) {
            permitTaken = true;
            granted.add(request);
        }
    }

    private void run(RecordingTask task) {
        task.runBody();
        release();
        task.recordOutcome(true);
    }

    private void release() {
        synchronized (this) {
            permitTaken = false;
        }
        startNext();
    }

    @Override
    public boolean isGrantedElseWithdraw(TestPermitRequest request) {
        if (granted.contains(request)) {
            return true;
        }
        RaceWindow.widen();
        queue.remove(request);
        return false;
    }

    @Override
    public void releasePermit(TestPermitRequest request) {
        release();
    }

    @Override
    public synchronized int occupancy() {
        return queue.size() + (permitTaken ? 1 : 0);
    }
}
