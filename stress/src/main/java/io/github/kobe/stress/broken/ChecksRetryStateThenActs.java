package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TimerEvent;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Flaw: reads whether a task is queued, awaits its retry or is completed in one step and acts on it in the next. A completed task
 * can keep its permit, a permit can be released twice, and a task can expire that is not queued any more.
 */
public final class ChecksRetryStateThenActs implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final ConcurrentLinkedQueue<RecordingTask> queue = new ConcurrentLinkedQueue<>();
    private final Set<RecordingTask> awaitingRetry = ConcurrentHashMap.newKeySet(); // each holds its permit
    private final Set<RecordingTask> decided = ConcurrentHashMap.newKeySet();
    private int free = 1;

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        queue.add(task);
        startNext();
        return true;
    }

    private synchronized void startNext() {
        RecordingTask next = free > 0 ? queue.poll() : null;
        if (next != null) {
            free--;
            runner.add(() -> run(next));
        }
    }

    private void run(RecordingTask task) {
        if (!decided.contains(task)) {
            task.runBody();
            if (task.lastAttemptFailed() && !decided.contains(task)) {
                RaceWindow.widen();
                awaitingRetry.add(task);
                return;
            }
            complete(task, true);
        }
        release();
    }

    private boolean complete(RecordingTask task, boolean ran) {
        boolean decidedHere = decided.add(task);
        if (decidedHere) {
            task.recordOutcome(ran);
        }
        return decidedHere;
    }

    private void release() {
        synchronized (this) {
            free++;
        }
        startNext();
    }

    @Override
    public boolean cancel(RecordingTask task) {
        boolean decidedHere = complete(task, false);
        queue.remove(task);
        if (awaitingRetry.remove(task)) {
            release();
        }
        return decidedHere;
    }

    @Override
    public Runnable takeTimerEvent(TimerEvent event) {
        if (event == TimerEvent.TIME_LIMIT) {
            RecordingTask first = queue.peek();
            return () -> expire(first);
        }
        return awaitingRetry.isEmpty() ? null : this::retryDue;
    }

    private void expire(RecordingTask task) {
        if (queue.contains(task)) {
            RaceWindow.widen();
            cancel(task);
        }
    }

    private void retryDue() {
        for (RecordingTask task : awaitingRetry) {
            RaceWindow.widen();
            awaitingRetry.remove(task);
            runner.add(() -> run(task));
        }
    }

    @Override
    public int queued() {
        return queue.size();
    }

    @Override
    public synchronized int occupancy() {
        return 1 - free + queue.size();
    }
}
