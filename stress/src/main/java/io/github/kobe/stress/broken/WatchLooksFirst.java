package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.Crank;
import io.github.kobe.stress.rig.Due;
import io.github.kobe.stress.rig.Job;
import io.github.kobe.stress.rig.Subject;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: the watch looks who is in line before it says that it will not wake again, and who comes in between counts on it. */
public final class WatchLooksFirst implements Subject {

    private final Crank crank = new Crank();
    private final Queue<Job> inLine = new ConcurrentLinkedQueue<>();
    private volatile boolean wakes;

    @Override
    public Crank crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, Job job) {
        inLine.add(job);
        if (!wakes) {
            wakes = true;
        }
        return true;
    }

    @Override
    public boolean cancel(Job job) {
        inLine.clear();
        return true;
    }

    @Override
    public Runnable due(Due kind) {
        if (kind == Due.LOOK) {
            return this::lookAround;
        }
        return wakes ? () -> inLine.forEach(job -> job.end(false)) : null;
    }

    private void lookAround() {
        boolean anyone = !inLine.isEmpty();
        Flaw.gap();
        wakes = anyone;
    }

    @Override
    public int held() {
        return inLine.size();
    }
}
