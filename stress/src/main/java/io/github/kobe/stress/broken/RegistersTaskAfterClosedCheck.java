package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.FaceUnderTest;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: checks the closed flag first and registers the task second. A close in between does not complete the task. */
public final class RegistersTaskAfterClosedCheck implements FaceUnderTest {

    private final AtomicInteger outcomes = new AtomicInteger();
    private volatile boolean closed;
    private volatile boolean registered;

    @Override
    public boolean submit() {
        if (closed) {
            return false;
        }
        RaceWindow.widen();
        registered = true;
        return true;
    }

    @Override
    public void close() {
        closed = true;
        if (registered) {
            outcomes.incrementAndGet();
        }
    }

    @Override
    public int startsAfterClose() {
        return 0;
    }

    @Override
    public int outcomeCount() {
        return outcomes.get();
    }
}
