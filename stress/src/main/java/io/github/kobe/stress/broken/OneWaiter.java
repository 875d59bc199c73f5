package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.concurrent.CompletableFuture;

/** Flaw: the future that all waiters are to share is made by whoever finds none, and two may find none. */
public final class OneWaiter implements Subject {

    private final Crank crank = new Crank();
    private volatile CompletableFuture<Boolean> shared;

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        crank.note(() -> {
            job.work();
            job.end(true);
            waiter(job).complete(true);
        });
        return true;
    }

    @Override
    public CompletableFuture<Boolean> waiter(Job job) {
        CompletableFuture<Boolean> future = shared;
        if (future == null) {
            future = new CompletableFuture<>();
            Flaw.gap();
            shared = future;
        }
        return future;
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
