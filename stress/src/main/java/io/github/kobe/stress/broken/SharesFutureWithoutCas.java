package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.CompletableFuture;

/** Flaw: the future that all waiters are to share is made by whoever finds none, and two may find none. */
public final class SharesFutureWithoutCas implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private volatile CompletableFuture<Boolean> shared;

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        crank.note(() -> {
            job.work();
            job.end(true);
            waiter(job).complete(true);
        });
        return true;
    }

    @Override
    public CompletableFuture<Boolean> waiter(RecordingTask job) {
        CompletableFuture<Boolean> future = shared;
        if (future == null) {
            future = new CompletableFuture<>();
            RaceWindow.gap();
            shared = future;
        }
        return future;
    }

    @Override
    public CompletableFuture<Boolean> view(RecordingTask job) {
        return waiter(job);
    }

    @Override
    public int held() {
        return 0;
    }
}
