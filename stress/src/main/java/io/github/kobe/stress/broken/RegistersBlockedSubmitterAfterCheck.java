package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Flaw: a thread asks for room, and makes itself known as waiting for it afterwards; room that is made in between nobody tells it of. */
public final class RegistersBlockedSubmitterAfterCheck implements SchedulerUnderTest {

    private static final int PATIENCE_MILLIS = 20;

    private final StepRunner crank = new StepRunner();
    private final Queue<RecordingTask> queue = new ArrayDeque<>();
    private final int threshold;
    private boolean taken; // the one place
    private volatile CountDownLatch waiting;

    /** @param threshold how many may wait */
    public RegistersBlockedSubmitterAfterCheck(int threshold) {
        this.threshold = threshold;
    }

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public synchronized boolean submit(String group, RecordingTask job) {
        boolean room = queue.size() < threshold;
        if (room) {
            queue.add(job);
            startNext();
        }
        return room;
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
        CountDownLatch toWake = waiting;
        if (toWake != null) {
            toWake.countDown();
        }
        job.end(true);
    }

    @Override
    public boolean submitWaiting(String group, RecordingTask job) {
        if (submit(group, job)) {
            return true;
        }
        RaceWindow.gap();
        CountDownLatch latch = new CountDownLatch(1);
        waiting = latch;
        try {
            return latch.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS) && submit(group, job);
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts this race", e);
        }
    }

    @Override
    public synchronized int held() {
        return queue.size() + (taken ? 1 : 0);
    }
}
