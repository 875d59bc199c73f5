package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.RecordingTask;
import io.github.kobe.stress.rig.SchedulerUnderTest;
import io.github.kobe.stress.rig.StepRunner;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Two limits of one permit each. A task of group "ab" needs both, one of "a" or "b" needs one. Flaw: if the second limit is full, the task is registered there and the first
 * permit is given back, and neither limit is looked at again. The second permit can be released before the task is registered: a lost wake-up.
 */
public final class MovesOnWithoutLookingAgain implements SchedulerUnderTest {

    private final StepRunner runner = new StepRunner();
    private final Slot a = new Slot();
    private final Slot b = new Slot();

    private static final class Slot {
        final AtomicInteger free = new AtomicInteger(1);
        final AtomicReference<RecordingTask> waiting = new AtomicReference<>();

        boolean tryTake() {
            return free.compareAndSet(1, 0);
        }
    }

    @Override
    public StepRunner runner() {
        return runner;
    }

    @Override
    public boolean submit(String group, RecordingTask task) {
        if (group.equals("ab")) {
            a.waiting.set(task); // the race begins with both limits full
        } else {
            Slot only = group.equals("a") ? a : b;
            only.tryTake();
            runner.add(() -> {
                task.runBody();
                release(only);
                task.recordOutcome(true);
            });
        }
        return true;
    }

    private void release(Slot slot) {
        slot.free.set(1);
        RecordingTask next = slot.waiting.getAndSet(null);
        if (next == null || !slot.tryTake()) {
            return;
        }
        Slot other = slot == a ? b : a;
        if (other.tryTake()) {
            runner.add(() -> {
                next.runBody();
                a.free.set(1);
                b.free.set(1);
                next.recordOutcome(true);
            });
        } else {
            RaceWindow.widen();
            other.waiting.set(next);
            slot.free.set(1);
        }
    }

    @Override
    public int occupancy() {
        return 0;
    }
}
