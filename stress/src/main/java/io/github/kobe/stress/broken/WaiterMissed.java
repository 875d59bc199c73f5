package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: a waiter looks whether the job has ended, then leaves its address; the end may go round in between. */
public final class WaiterMissed implements Subject {

    private final Crank crank = new Crank();
    private final ConcurrentLinkedQueue<CompletableFuture<Boolean>> waiters = new ConcurrentLinkedQueue<>();
    private volatile boolean ended;

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        crank.note(() -> {
            job.work();
            end(job, true);
        });
        return true;
    }

    @Override
    public boolean cancel(Job job) {
        end(job, false);
        return true;
    }

    private void end(Job job, boolean ran) {
        job.end(ran);
        ended = true;
        waiters.forEach(waiter -> waiter.complete(ran));
    }

    @Override
    public boolean isEnded(Job job) {
        return ended;
    }

    @Override
    public CompletableFuture<Boolean> waiter(Job job) {
        CompletableFuture<Boolean> waiter = new CompletableFuture<>();
        if (ended) {
            waiter.complete(!job.wasCancelled());
        } else {
            Flaw.gap();
            waiters.add(waiter);
        }
        return waiter;
    }

    @Override
    public CompletableFuture<Boolean> view(Job job) {
        return waiter(job);
    }

    @Override
    public int held() {
        return 0;
    }
}
