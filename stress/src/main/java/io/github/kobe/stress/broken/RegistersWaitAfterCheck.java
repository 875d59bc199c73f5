package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TestPermitRequest;
import io.github.kobe.stress.rig.TimerEvent;

/** Flaw: a wait checks whether the task is queued, and registers afterwards. A task that is queued in between finds no wait. */
public final class RegistersWaitAfterCheck implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private RecordingTask task;
    private volatile boolean queued;
    private volatile boolean waits;
    private boolean held;

    @Override
    public StepRunner runner() {
        return runner;
    }

    /** The first attempt has failed. */
    @Override
    public boolean submit(String group, RecordingTask submitted) {
        task = submitted;
        return true;
    }

    @Override
    public boolean requestPermit(String group, TestPermitRequest request) {
        held = true;
        return true;
    }

    @Override
    public Runnable takeTimerEvent(TimerEvent event) {
        return () -> {
            queued = true;
            if (waits) {
                start();
            }
        };
    }

    @Override
    public Runnable beginWait(TestPermitRequest holder, RecordingTask awaited) {
        if (queued) {
            start();
        }
        RaceWindow.widen();
        waits = true;
        return () -> waits = false;
    }

    private synchronized void start() {
        if (queued) {
            queued = false;
            runner.add(() -> {
                task.runBody();
                task.recordOutcome(true);
            });
        }
    }

    @Override
    public void releasePermit(TestPermitRequest request) {
        held = false;
        start();
    }

    @Override
    public int occupancy() {
        return (held ? 1 : 0) + (queued ? 1 : 0);
    }
}
