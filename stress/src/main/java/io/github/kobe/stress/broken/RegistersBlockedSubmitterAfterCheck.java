package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Flaw: a submitter finds the queue full first and registers as blocked second. A completion in between does not wake it. */
public final class RegistersBlockedSubmitterAfterCheck implements SchedulerUnderTest {

    private static final int MAX_WAIT_MILLIS = 20;

    private final StepRunner runner = new StepRunner();
    private final Queue<RecordingTask> queue = new ArrayDeque<>();
    private final int queueThreshold;
    private boolean permitTaken; // the only permit
    private volatile CountDownLatch waiting;

    /** @param queueThreshold how many tasks may be queued */
    public RegistersBlockedSubmitterAfterCheck(int queueThreshold) {
        this.queueThreshold = queueThreshold;
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public synchronized boolean submit(String group, RecordingTask task) {
        boolean room = queue.size() < queueThreshold;
        if (room) {
            queue.add(task);
            startNext();
        }
        return room;
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
        CountDownLatch toWake = waiting;
        if (toWake != null) {
            toWake.countDown();
        }
        task.recordOutcome(true);
    }

    @Override
    public boolean submitBlocking(String group, RecordingTask task) {
        if (submit(group, task)) {
            return true;
        }
        RaceWindow.widen();
        CountDownLatch latch = new CountDownLatch(1);
        waiting = latch;
        try {
            return latch.await(MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS) && submit(group, task);
        } catch (InterruptedException e) {
            throw new AssertionError("no race interrupts this thread", e);
        }
    }

    @Override
    public synchronized int occupancy() {
        return queue.size() + (permitTaken ? 1 : 0);
    }
}
