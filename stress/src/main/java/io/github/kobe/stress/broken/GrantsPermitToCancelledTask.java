package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TimerEvent;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Flaw: a cancelled job is marked first and leaves the line second. Who finds it in between has spent a place on it, and
 * forgets to use the place for the next.
 */
public final class GrantsPermitToCancelledTask implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final Set<RecordingTask> decided = ConcurrentHashMap.newKeySet();
    private final Queue<RecordingTask> queue = new ArrayDeque<>();
    private boolean taken; // the one place

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public synchronized boolean submit(String group, RecordingTask job) {
        if (taken) {
            queue.add(job);
        } else {
            taken = true;
            start(job);
        }
        return true;
    }

    @Override
    public boolean cancel(RecordingTask job) {
        if (!decided.add(job)) {
            return false;
        }
        job.end(false);
        RaceWindow.gap();
        synchronized (this) {
            queue.remove(job);
        }
        return true;
    }

    @Override
    public synchronized Runnable due(TimerEvent kind) {
        RecordingTask first = queue.peek();
        return () -> cancel(first);
    }

    private void start(RecordingTask job) {
        crank.note(() -> {
            boolean mine = decided.add(job);
            if (mine) {
                job.work();
            }
            release();
            if (mine) {
                job.end(true);
            }
        });
    }

    private synchronized void release() {
        RecordingTask next = queue.poll();
        if (next == null) {
            taken = false;
        } else if (!decided.contains(next)) {
            start(next);
        }
    }

    @Override
    public synchronized int held() {
        return queue.size() + (taken ? 1 : 0);
    }
}
