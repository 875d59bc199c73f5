package io.github.kobe.scope;

import io.github.kobe.internal.kernel.TaskRunner;
import java.util.concurrent.Executor;

/** Somebody else's threads for tasks; what else there is to do, such as telling a hook, does not queue up behind those. */
final class BorrowedThreads implements TaskRunner {

    private final Executor executor;
    private final TaskRunner own = TaskRunner.freshVirtualThreads();

    BorrowedThreads(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void start(Runnable work) {
        if (work instanceof Handoff) {
            executor.execute(work);
        } else {
            own.start(work);
        }
    }
}
