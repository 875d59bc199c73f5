package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TestPermitRequest;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: the borrower checks whether the wait has ended in one step and gives the permit back in the next, and the wait checks whether the permit
 * is lent in one step and ends in the next. Both can act, and a permit is lost.
 */
public final class EndsWaitWithoutCas implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private int free = 1;
    private volatile boolean lent;
    private volatile boolean ended;

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
    public synchronized boolean requestPermit(String group, TestPermitRequest request) {
        free--;
        return true;
    }

    private synchronized void startNext() {
        RecordingTask next = free > 0 ? queue.poll() : null;
        if (next != null) {
            free--;
            runner.add(() -> {
                next.runBody();
                release();
                next.recordOutcome(true);
            });
        }
    }

    private void release() {
        synchronized (this) {
            free++;
        }
        startNext();
    }

    @Override
    public Runnable beginWait(TestPermitRequest holder, RecordingTask awaited) {
        lent = queue.remove(awaited);
        runner.add(() -> runBorrower(awaited));
        return this::endWait;
    }

    private void runBorrower(RecordingTask task) {
        task.runBody();
        if (ended) {
            release();
        } else {
            RaceWindow.widen();
            lent = false;
        }
        task.recordOutcome(true);
    }

    private void endWait() {
        if (lent) {
            synchronized (this) {
                free--;
            }
            RaceWindow.widen();
        }
        ended = true;
    }

    @Override
    public void releasePermit(TestPermitRequest request) {
        release();
    }

    @Override
    public synchronized int occupancy() {
        return queue.size() + 1 - free;
    }
}
