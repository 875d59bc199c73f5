package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/** Flaw: who finds the lock taken leaves, and who has it does not look once more for what came meanwhile. */
public final class SkipsDispatchWhenLocked implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicInteger free;
    private final int places;

    /** @param places how many may run at once */
    public SkipsDispatchWhenLocked(int places) {
        this.places = places;
        this.free = new AtomicInteger(places);
    }

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        queue.add(job);
        serve();
        return true;
    }

    private void serve() {
        if (!lock.tryLock()) {
            return;
        }
        try {
            while (free.get() > 0 && !queue.isEmpty()) {
                RecordingTask next = queue.remove();
                free.decrementAndGet();
                crank.note(() -> run(next));
            }
            RaceWindow.gap();
        } finally {
            lock.unlock();
        }
    }

    private void run(RecordingTask job) {
        job.work();
        job.end(true);
        free.incrementAndGet();
        serve();
    }

    @Override
    public void look() {
        lock.lock();
        RaceWindow.gap();
        lock.unlock();
    }

    @Override
    public int held() {
        return places - free.get() + queue.size();
    }
}
