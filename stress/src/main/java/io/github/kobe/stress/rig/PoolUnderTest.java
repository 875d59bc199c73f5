package io.github.kobe.stress.rig;

import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.pool.ThreadKind;
import io.github.kobe.pool.WorkerPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A pool of one worker. */
public final class PoolUnderTest implements FaceUnderTest {

    private static final int MAX_WAIT_SECONDS = 10;

    private final WorkerPool pool =
            WorkerPool.builder().threads(ThreadKind.VIRTUAL).build();
    private final AtomicInteger startsAfterClose = new AtomicInteger();
    private volatile boolean closed;
    private volatile TaskHandle<?> handle;

    @Override
    public boolean submit() {
        try {
            handle = pool.submit(() -> closed ? startsAfterClose.incrementAndGet() : 0);
            return true;
        } catch (IllegalStateException rejected) {
            return false;
        }
    }

    @Override
    public void close() {
        pool.shutdown();
        closed = true;
    }

    @Override
    public boolean restart() {
        closed = false;
        try {
            pool.restart();
            return true;
        } catch (IllegalStateException alreadyRunning) {
            return false;
        }
    }

    @Override
    public int startsAfterClose() {
        return startsAfterClose.get();
    }

    /** An accepted task runs to its end, so only a success counts. */
    @Override
    public int outcomeCount() {
        TaskHandle<?> submitted = handle;
        boolean succeeded = submitted != null
                && submitted.join(MAX_WAIT_SECONDS, TimeUnit.SECONDS).status() == TaskStatus.SUCCESS;
        pool.shutdownNow();
        return succeeded ? 1 : 0;
    }
}
