package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/** Flaw: who finds the lock taken leaves, and who has it does not look once more for what came meanwhile. */
public final class LeavesAtALockedDoor implements Subject {

    private final Crank crank = new Crank();
    private final ConcurrentLinkedQueue<Job> queue = new ConcurrentLinkedQueue<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicInteger free;
    private final int places;

    /** @param places how many may run at once */
    public LeavesAtALockedDoor(int places) {
        this.places = places;
        this.free = new AtomicInteger(places);
    }

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
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
                Job next = queue.remove();
                free.decrementAndGet();
                crank.note(() -> run(next));
            }
            Flaw.gap();
        } finally {
            lock.unlock();
        }
    }

    private void run(Job job) {
        job.work();
        job.end(true);
        free.incrementAndGet();
        serve();
    }

    @Override
    public void look() {
        lock.lock();
        Flaw.gap();
        lock.unlock();
    }

    @Override
    public int held() {
        return places - free.get() + queue.size();
    }
}
