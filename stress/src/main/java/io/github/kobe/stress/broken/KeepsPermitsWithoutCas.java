package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TimerEvent;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The limits a and b, and a task that keeps the permit of a while it waits for b, from the moment at which it is submitted. Flaw: the timer, and the thread that starts the task, read whether the permit
 * is kept, and then act. Both can find it kept.
 */
public final class KeepsPermitsWithoutCas implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final AtomicInteger freeOfA = new AtomicInteger(1);
    private volatile RecordingTask waiting;
    private volatile RecordingTask last; // of b, whose completion is part of the race
    private volatile boolean kept;

    @Override
    public StepRunner runner() {
        return runner;
    }

    /** The tasks of a, and all but the last one of b, are over before the race begins. */
    @Override
    public boolean submit(String group, RecordingTask task) {
        if (group.equals("ab")) {
            waiting = task;
        } else {
            last = task;
            runner.add(() -> {
                if (kept && task == last) {
                    startWaiting();
                }
            });
        }
        return true;
    }

    private void startWaiting() {
        boolean has = kept;
        RaceWindow.widen();
        kept = false;
        if (has || freeOfA.compareAndSet(1, 0)) {
            RecordingTask task = waiting;
            runner.add(() -> {
                task.runBody();
                freeOfA.incrementAndGet();
                task.recordOutcome(true);
            });
        }
    }

    @Override
    public Runnable takeTimerEvent(TimerEvent event) {
        freeOfA.set(0);
        kept = true;
        return () -> {
            if (kept) {
                RaceWindow.widen();
                kept = false;
                freeOfA.incrementAndGet();
            }
        };
    }

    @Override
    public int occupancy() {
        return Math.abs(freeOfA.get() - 1);
    }
}
