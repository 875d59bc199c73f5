package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: a waiter checks for the outcome first and registers second. An outcome that is published in between does not reach it.
 */
public final class RegistersWaiterAfterCheck implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final ConcurrentLinkedQueue<CompletableFuture<Boolean>> waiters = new ConcurrentLinkedQueue<>();
    private volatile boolean completed;

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        runner.add(() -> {
            task.runBody();
            complete(task, true);
        });
        return true;
    }

    @Override
    public boolean cancel(RecordingTask task) {
        complete(task, false);
        return true;
    }

    private void complete(RecordingTask task, boolean ran) {
        task.recordOutcome(ran);
        completed = true;
        waiters.forEach(waiter -> waiter.complete(ran));
    }

    @Override
    public boolean isCompleted(RecordingTask task) {
        return completed;
    }

    @Override
    public CompletableFuture<Boolean> sharedFuture(RecordingTask task) {
        CompletableFuture<Boolean> waiter = new CompletableFuture<>();
        if (completed) {
            waiter.complete(!task.wasCancelled());
        } else {
            RaceWindow.widen();
            waiters.add(waiter);
        }
        return waiter;
    }

    @Override
    public CompletableFuture<Boolean> userFuture(RecordingTask task) {
        return sharedFuture(task);
    }

    @Override
    public int occupancy() {
        return 0;
    }
}
