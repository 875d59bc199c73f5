package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Flaw: a thread that finds the lock taken does not dispatch, and the lock holder does not check again for tasks that arrived
 * meanwhile.
 */
public final class SkipsDispatchWhenLocked implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicInteger free;
    private final int permits;

    /** @param permits how many tasks may run at once */
    public SkipsDispatchWhenLocked(int permits) {
        this.permits = permits;
        this.free = new AtomicInteger(permits);
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        queue.add(task);
        dispatch();
        return true;
    }

    private void dispatch() {
        if (!lock.tryLock()) {
            return;
        }
        try {
            while (free.get() > 0 && !queue.isEmpty()) {
                RecordingTask next = queue.remove();
                free.decrementAndGet();
                runner.add(() -> run(next));
            }
            RaceWindow.widen();
        } finally {
            lock.unlock();
        }
    }

    private void run(RecordingTask task) {
        task.runBody();
        task.recordOutcome(true);
        free.incrementAndGet();
        dispatch();
    }

    @Override
    public void readStatistics() {
        lock.lock();
        RaceWindow.widen();
        lock.unlock();
    }

    @Override
    public int occupancy() {
        return permits - free.get() + queue.size();
    }
}
