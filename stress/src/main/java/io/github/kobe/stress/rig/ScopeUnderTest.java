package io.github.kobe.stress.rig;

import io.github.kobe.scope.Task;
import io.github.kobe.scope.ThreadScope;
import java.util.concurrent.atomic.AtomicInteger;

/** A scope. It is opened by a thread of its own; otherwise it would be nested in the scope that this thread opened before. */
public final class ScopeUnderTest implements FaceUnderTest {

    private final ThreadScope scope = openOnOwnThread();
    private final AtomicInteger startsAfterClose = new AtomicInteger();
    private volatile boolean closed;
    private volatile Task<?> task;

    private static ThreadScope openOnOwnThread() {
        ThreadScope[] opened = new ThreadScope[1];
        try {
            Thread.ofVirtual().start(() -> opened[0] = ThreadScope.open()).join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return opened[0];
    }

    @Override
    public boolean submit() {
        try {
            task = scope.submit(() -> closed ? startsAfterClose.incrementAndGet() : 0);
            return true;
        } catch (IllegalStateException rejected) {
            return false;
        }
    }

    @Override
    public void close() {
        scope.close();
        closed = true;
    }

    @Override
    public int startsAfterClose() {
        return startsAfterClose.get();
    }

    @Override
    public int outcomeCount() {
        Task<?> submitted = task;
        return submitted != null && submitted.isDone() ? 1 : 0;
    }
}
