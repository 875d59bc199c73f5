package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: a waiter looks whether the job has ended, then leaves its address; the end may go round in between. */
public final class RegistersWaiterAfterCheck implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final ConcurrentLinkedQueue<CompletableFuture<Boolean>> waiters = new ConcurrentLinkedQueue<>();
    private volatile boolean ended;

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        crank.note(() -> {
            job.work();
            end(job, true);
        });
        return true;
    }

    @Override
    public boolean cancel(RecordingTask job) {
        end(job, false);
        return true;
    }

    private void end(RecordingTask job, boolean ran) {
        job.end(ran);
        ended = true;
        waiters.forEach(waiter -> waiter.complete(ran));
    }

    @Override
    public boolean isEnded(RecordingTask job) {
        return ended;
    }

    @Override
    public CompletableFuture<Boolean> waiter(RecordingTask job) {
        CompletableFuture<Boolean> waiter = new CompletableFuture<>();
        if (ended) {
            waiter.complete(!job.wasCancelled());
        } else {
            RaceWindow.gap();
            waiters.add(waiter);
        }
        return waiter;
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
