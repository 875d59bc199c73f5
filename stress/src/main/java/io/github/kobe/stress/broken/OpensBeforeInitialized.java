package io.github.kobe.stress.broken;

import io.github.kobe.stress.rig.FaceUnderTest;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two flaws. It says that it is open before there is a list to be put on, and who comes in between is put on the old one, which nobody
 * looks at; and of two that open it both may find it closed.
 */
public final class OpensBeforeInitialized implements FaceUnderTest {

    private volatile AtomicInteger list = new AtomicInteger();
    private volatile boolean open;

    @Override
    public boolean submit() {
        if (!open) {
            return false;
        }
        list.incrementAndGet();
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
        list = new AtomicInteger();
        return true;
    }

    @Override
    public int startsAfterClose() {
        return 0;
    }

    @Override
    public int outcomeCount() {
        return list.get();
    }
}
