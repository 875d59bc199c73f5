package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TestPermitRequest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: "no place for me" and "I am in line" are two steps, and the last place can come back between them. */
public final class EnqueuesAfterFailedAcquire implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final AtomicInteger free;
    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final Set<TestPermitRequest> placed = ConcurrentHashMap.newKeySet();

    /** @param cap how many may run at once */
    public EnqueuesAfterFailedAcquire(int cap) {
        free = new AtomicInteger(cap);
    }

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        enter(() -> start(job));
        return true;
    }

    @Override
    public boolean ask(String group, TestPermitRequest guest) {
        enter(() -> placed.add(guest));
        return true;
    }

    @Override
    public boolean hasPlaceNow(TestPermitRequest guest) {
        return placed.contains(guest);
    }

    @Override
    public void giveBack(TestPermitRequest guest) {
        release();
    }

    private void enter(Runnable start) {
        if (takePlace()) {
            start.run();
        } else {
            RaceWindow.gap();
            queue.add(start);
        }
    }

    private boolean takePlace() {
        return free.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    }

    private void start(RecordingTask job) {
        crank.note(() -> {
            job.work();
            release();
            job.end(true);
        });
    }

    private void release() {
        Runnable next = queue.poll();
        if (next != null) {
            next.run();
        } else {
            free.incrementAndGet();
        }
    }

    @Override
    public int held() {
        return queue.size();
    }
}
