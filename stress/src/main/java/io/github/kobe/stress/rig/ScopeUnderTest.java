package io.github.kobe.stress.rig;

import io.github.kobe.scope.Task;
import io.github.kobe.scope.ThreadScope;
import java.util.concurrent.atomic.AtomicInteger;

/** A scope. Opened by a thread that is nobody's, or it would be nested in the one that was opened before it. */
public final class ScopeUnderTest implements FaceUnderTest {

    private final ThreadScope scope = openApart();
    private final AtomicInteger late = new AtomicInteger();
    private volatile boolean closed;
    private volatile Task<?> task;

    private static ThreadScope openApart() {
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
            task = scope.submit(() -> closed ? late.incrementAndGet() : 0);
            return true;
        } catch (IllegalStateException refused) {
            return false;
        }
    }

    @Override
    public void close() {
        scope.close();
        closed = true;
    }

    @Override
    public int lateStarts() {
        return late.get();
    }

    @Override
    public int ends() {
        Task<?> its = task;
        return its != null && its.isDone() ? 1 : 0;
    }
}
