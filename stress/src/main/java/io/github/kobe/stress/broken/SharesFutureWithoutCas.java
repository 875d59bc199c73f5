package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.CompletableFuture;

/** Flaw: a waiter that finds no shared future creates one without compare-and-set. Two waiters can both find none. */
public final class SharesFutureWithoutCas implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private volatile CompletableFuture<Boolean> shared;

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        runner.add(() -> {
            task.runBody();
            task.recordOutcome(true);
            sharedFuture(task).complete(true);
        });
        return true;
    }

    @Override
    public CompletableFuture<Boolean> sharedFuture(RecordingTask task) {
        CompletableFuture<Boolean> future = shared;
        if (future == null) {
            future = new CompletableFuture<>();
            RaceWindow.widen();
            shared = future;
        }
        return future;
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
