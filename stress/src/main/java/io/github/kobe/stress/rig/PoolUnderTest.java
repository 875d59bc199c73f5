package io.github.kobe.stress.rig;

import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.pool.ThreadKind;
import io.github.kobe.pool.WorkerPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A pool of one worker. */
public final class PoolUnderTest implements FaceUnderTest {

    private static final int PATIENCE_SECONDS = 10;

    private final WorkerPool pool =
            WorkerPool.builder().threads(ThreadKind.VIRTUAL).build();
    private final AtomicInteger late = new AtomicInteger();
    private volatile boolean closed;
    private volatile TaskHandle<?> task;

    @Override
    public boolean submit() {
        try {
            task = pool.submit(() -> closed ? late.incrementAndGet() : 0);
            return true;
        } catch (IllegalStateException refused) {
            return false;
        }
    }

    @Override
    public void close() {
        pool.shutdown();
        closed = true;
    }

    @Override
    public boolean open() {
        closed = false;
        try {
            pool.restart();
            return true;
        } catch (IllegalStateException refused) {
            return false;
        }
    }

    @Override
    public int lateStarts() {
        return late.get();
    }

    /** Accepted tasks finish, so anything but a success is none. */
    @Override
    public int ends() {
        TaskHandle<?> its = task;
        boolean ended =
                its != null && its.join(PATIENCE_SECONDS, TimeUnit.SECONDS).status() == TaskStatus.SUCCESS;
        pool.shutdownNow();
        return ended ? 1 : 0;
    }
}
