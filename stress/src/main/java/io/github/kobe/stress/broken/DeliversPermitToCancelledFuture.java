package io.github.kobe.stress.broken;

import io.github.kobe.Permit;
import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: a granted permit is delivered by checking whether the future is cancelled in one step and completing it in the next. If the future
 * is cancelled in between, the permit is lost.
 */
public final class DeliversPermitToCancelledFuture implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private boolean permitTaken; // the only permit

    private final class OnlyPermit implements Permit {
        @Override
        public String groupKey() {
            return "g";
        }

        @Override
        public Permit detach() {
            return this;
        }

        @Override
        public void close() {
            release();
        }
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        queue.add(() -> runner.add(() -> run(task)));
        startNext();
        return true;
    }

    @Override
    public CompletableFuture<Permit> requestPermitAsync(String group) {
        CompletableFuture<Permit> future = new CompletableFuture<>();
        queue.add(() -> deliverTo(future));
        startNext();
        return future;
    }

    private void deliverTo(CompletableFuture<Permit> future) {
        if (future.isDone()) {
            release();
            return;
        }
        RaceWindow.widen();
        future.complete(new OnlyPermit());
    }

    private void startNext() {
        Runnable next;
        synchronized (this) {
            next = permitTaken ? null : queue.poll();
            permitTaken |= next != null;
        }
        if (next != null) {
            next.run();
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
    public synchronized int occupancy() {
        return queue.size() + (permitTaken ? 1 : 0);
    }
}
