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
 * Flaw: releases the permit of a failed attempt first and counts the task as awaiting retry second. In between the group looks
 * idle and can retire.
 */
public final class CountsRetryAfterRelease implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final ConcurrentHashMap<String, SinglePermitGroup> groups = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Runnable> retries = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        while (!groups.computeIfAbsent(group, SinglePermitGroup::new).admit(task)) {
            Thread.onSpinWait(); // the group is retired and about to leave the map
        }
        return true;
    }

    @Override
    public void evict(String group) {
        SinglePermitGroup existing = groups.get(group);
        if (existing != null) {
            existing.retireIfIdle();
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
    public Runnable takeTimerEvent(TimerEvent event) {
        return retries.poll();
    }

    @Override
    public int occupancy() {
        return groups.size();
    }

    private final class SinglePermitGroup {
        private final String name;
        private final Queue<RecordingTask> queue = new ArrayDeque<>();
        private boolean permitTaken;
        private boolean retired;
        private int awaitingRetry;

        SinglePermitGroup(String name) {
            this.name = name;
        }

        synchronized boolean admit(RecordingTask task) {
            if (!retired) {
                queue.add(task);
                startNext();
            }
            return !retired;
        }

        private void startNext() {
            RecordingTask next = permitTaken ? null : queue.poll();
            if (next != null) {
                permitTaken = true;
                runner.add(() -> run(next));
            }
        }

        private void run(RecordingTask task) {
            task.runBody();
            synchronized (this) {
                permitTaken = false;
                startNext();
            }
            if (task.lastAttemptFailed()) {
                RaceWindow.widen();
                awaitRetry(task);
            } else {
                task.recordOutcome(true);
            }
            retireIfIdle();
        }

        private synchronized void awaitRetry(RecordingTask task) {
            awaitingRetry++;
            retries.add(() -> retryDue(task));
        }

        private synchronized void retryDue(RecordingTask task) {
            awaitingRetry--;
            queue.add(task);
            startNext();
        }

        synchronized void retireIfIdle() {
            if (!permitTaken && queue.isEmpty() && awaitingRetry == 0) {
                retired = true;
                groups.remove(name, this);
            }
        }
    }
}
