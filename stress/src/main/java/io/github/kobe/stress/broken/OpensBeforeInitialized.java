package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.FaceUnderTest;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two flaws. Opens before the new registry exists, so a task can be registered with the old one, which is discarded. And two
 * restarts can both find it closed.
 */
public final class OpensBeforeInitialized implements FaceUnderTest {

    private volatile AtomicInteger registry = new AtomicInteger();
    private volatile boolean open;

    @Override
    public boolean submit() {
        if (!open) {
            return false;
        }
        registry.incrementAndGet();
        return true;
    }

    @Override
    public void close() {
        open = false;
    }

    @Override
    public boolean restart() {
        if (open) {
            return false;
        }
        RaceWindow.widen();
        open = true;
        RaceWindow.widen();
        registry = new AtomicInteger();
        return true;
    }

    @Override
    public int startsAfterClose() {
        return 0;
    }

    @Override
    public int outcomeCount() {
        return registry.get();
    }
}
