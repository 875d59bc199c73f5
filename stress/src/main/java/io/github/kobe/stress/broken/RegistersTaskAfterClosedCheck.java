package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.FaceUnderTest;
import java.util.concurrent.atomic.AtomicInteger;

/** Flaw: whoever comes looks whether the door is open, and is put on the list later; whoever closes it has been through the list. */
public final class RegistersTaskAfterClosedCheck implements FaceUnderTest {

    private final AtomicInteger ends = new AtomicInteger();
    private volatile boolean closed;
    private volatile boolean listed;

    @Override
    public boolean submit() {
        if (closed) {
            return false;
        }
        RaceWindow.widen();
        listed = true;
        return true;
    }

    @Override
    public void close() {
        closed = true;
        if (listed) {
            ends.incrementAndGet();
        }
    }

    @Override
    public int startsAfterClose() {
        return 0;
    }

    @Override
    public int outcomeCount() {
        return ends.get();
    }
}
