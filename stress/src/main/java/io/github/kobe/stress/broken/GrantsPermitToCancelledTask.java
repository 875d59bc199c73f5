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
 * Flaw: a cancelled task is marked first and leaves the line second. Who finds it in between has spent a place on it, and
 * forgets to use the place for the next.
 */
public final class GrantsPermitToCancelledTask implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final Set<RecordingTask> decided = ConcurrentHashMap.newKeySet();
    private final Queue<RecordingTask> queue = new ArrayDeque<>();
    private boolean permitTaken; // the one place

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public synchronized boolean submit(String group, RecordingTask task) {
        if (permitTaken) {
            queue.add(task);
        } else {
            permitTaken = true;
            start(task);
        }
        return true;
    }

    @Override
    public boolean cancel(RecordingTask task) {
        if (!decided.add(task)) {
            return false;
        }
        task.recordOutcome(false);
        RaceWindow.widen();
        synchronized (this) {
            queue.remove(task);
        }
        return true;
    }

    @Override
    public synchronized Runnable takeTimerEvent(TimerEvent event) {
        RecordingTask first = queue.peek();
        return () -> cancel(first);
    }

    private void start(RecordingTask task) {
        runner.add(() -> {
            boolean decidedHere = decided.add(task);
            if (decidedHere) {
                task.runBody();
            }
            release();
            if (decidedHere) {
                task.recordOutcome(true);
            }
        });
    }

    private synchronized void release() {
        RecordingTask next = queue.poll();
        if (next == null) {
            permitTaken = false;
        } else if (!decided.contains(next)) {
            start(next);
        }
    }

    @Override
    public synchronized int occupancy() {
        return queue.size() + (permitTaken ? 1 : 0);
    }
}
