package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TestPermitRequest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Flaw: fails to acquire a permit in one step and enqueues in the next. The last permit can be released in between: a lost
 * wake-up.
 */
public final class EnqueuesAfterFailedAcquire implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final AtomicInteger free;
    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final Set<TestPermitRequest> granted = ConcurrentHashMap.newKeySet();

    /** @param limit how many tasks may run at once */
    public EnqueuesAfterFailedAcquire(int limit) {
        free = new AtomicInteger(limit);
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        enter(() -> start(task));
        return true;
    }

    @Override
    public boolean requestPermit(String group, TestPermitRequest request) {
        enter(() -> granted.add(request));
        return true;
    }

    @Override
    public boolean isGrantedElseWithdraw(TestPermitRequest request) {
        return granted.contains(request);
    }

    @Override
    public void releasePermit(TestPermitRequest request) {
        release();
    }

    private void enter(Runnable start) {
        if (tryAcquire()) {
            start.run();
        } else {
            RaceWindow.widen();
            queue.add(start);
        }
    }

    private boolean tryAcquire() {
        return free.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    }

    private void start(RecordingTask task) {
        runner.add(() -> {
            task.runBody();
            release();
            task.recordOutcome(true);
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
    public int occupancy() {
        return queue.size();
    }
}
