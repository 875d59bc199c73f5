package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Flaw: a new cap is worked into the free places by a read and a write, which undoes what others did in between; and the look
 * at the line that follows comes too early for who is just joining it.
 */
public final class ResizesWithoutCas implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final AtomicInteger free;
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private final int capAtFirst;
    private int cap;

    /** @param cap how many may run at once, to begin with */
    public ResizesWithoutCas(int cap) {
        this.capAtFirst = cap;
        this.cap = cap;
        this.free = new AtomicInteger(cap);
    }

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        if (takePlace()) {
            start(job);
        } else {
            RaceWindow.gap();
            RaceWindow.gap(); // as long as a resize takes, and its own gap
            queue.add(job);
        }
        return true;
    }

    private boolean takePlace() {
        return free.getAndUpdate(n -> n > 0 ? n - 1 : n) > 0;
    }

    private void start(RecordingTask job) {
        crank.note(() -> {
            job.work();
            free.incrementAndGet();
            fill();
            job.end(true);
        });
    }

    private void fill() {
        while (!queue.isEmpty() && takePlace()) {
            RecordingTask next = queue.poll();
            if (next == null) {
                free.incrementAndGet();
            } else {
                start(next);
            }
        }
    }

    @Override
    public void resize(int newCap) {
        int inUse = cap - free.get();
        RaceWindow.gap();
        cap = newCap;
        free.set(newCap - inUse);
        fill();
    }

    @Override
    public void pause() {
        resize(0);
    }

    @Override
    public void resume() {
        resize(capAtFirst);
    }

    @Override
    public int held() {
        return cap - free.get() + queue.size();
    }
}
