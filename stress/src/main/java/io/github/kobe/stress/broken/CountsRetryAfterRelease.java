package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TimerEvent;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: a job that is to be tried again gives its place back first, and is counted as one that comes again second; a group that
 * is looked at in between seems to be at rest, and leaves.
 */
public final class CountsRetryAfterRelease implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final ConcurrentHashMap<String, SinglePermitGroup> groups = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Runnable> retries = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        while (!groups.computeIfAbsent(group, SinglePermitGroup::new).admit(job)) {
            Thread.onSpinWait(); // it has left, and will be out of the map in a moment
        }
        return true;
    }

    @Override
    public void evict(String group) {
        SinglePermitGroup known = groups.get(group);
        if (known != null) {
            known.leaveIfAtRest();
        }
    }

    @Override
    public void close() {
        closed = true;
        groups.keySet().forEach(this::evict);
    }

    @Override
    public boolean isTerminated() {
        return closed && groups.isEmpty();
    }

    @Override
    public Runnable due(TimerEvent kind) {
        return retries.poll();
    }

    @Override
    public int held() {
        return groups.size();
    }

    private final class SinglePermitGroup {
        private final String name;
        private final Queue<RecordingTask> queue = new ArrayDeque<>();
        private boolean taken;
        private boolean gone;
        private int delayed;

        SinglePermitGroup(String name) {
            this.name = name;
        }

        synchronized boolean admit(RecordingTask job) {
            if (!gone) {
                queue.add(job);
                startNext();
            }
            return !gone;
        }

        private void startNext() {
            RecordingTask next = taken ? null : queue.poll();
            if (next != null) {
                taken = true;
                crank.note(() -> run(next));
            }
        }

        private void run(RecordingTask job) {
            job.work();
            synchronized (this) {
                taken = false;
                startNext();
            }
            if (job.failed()) {
                RaceWindow.gap();
                comeAgain(job);
            } else {
                job.end(true);
            }
            leaveIfAtRest();
        }

        private synchronized void comeAgain(RecordingTask job) {
            delayed++;
            retries.add(() -> comeBack(job));
        }

        private synchronized void comeBack(RecordingTask job) {
            delayed--;
            queue.add(job);
            startNext();
        }

        synchronized void leaveIfAtRest() {
            if (!taken && queue.isEmpty() && delayed == 0) {
                gone = true;
                groups.remove(name, this);
            }
        }
    }
}
