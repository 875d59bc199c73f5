package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import io.github.kobe.stress.rig.TimerEvent;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Flaw: the watch looks who is in line before it says that it will not wake again, and who comes in between counts on it. */
public final class MonitorScansBeforeDisarming implements SchedulerUnderTest {

    private final StepRunner crank = new StepRunner();
    private final Queue<RecordingTask> inLine = new ConcurrentLinkedQueue<>();
    private volatile boolean wakes;

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        inLine.add(job);
        if (!wakes) {
            wakes = true;
        }
        return true;
    }

    @Override
    public boolean cancel(RecordingTask job) {
        inLine.clear();
        return true;
    }

    @Override
    public Runnable due(TimerEvent kind) {
        if (kind == TimerEvent.LOOK) {
            return this::lookAround;
        }
        return wakes ? () -> inLine.forEach(job -> job.end(false)) : null;
    }

    private void lookAround() {
        boolean anyone = !inLine.isEmpty();
        RaceWindow.gap();
        wakes = anyone;
    }

    @Override
    public int held() {
        return inLine.size();
    }
}
