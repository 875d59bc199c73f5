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
 * Flaw: marks a cancelled task first and dequeues it second. A release in between dequeues it and loses the permit, since it does
 * not go on to the next task.
 */
public final class GrantsPermitToCancelledTask implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final Set<RecordingTask> decided = ConcurrentHashMap.newKeySet();
    private final Queue<RecordingTask> queue = new ArrayDeque<>();
    private boolean permitTaken; // the only permit

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
