package io.github.kobe.scope;

import io.github.kobe.internal.Runner;
import java.util.concurrent.Executor;

/** Somebody else's threads for tasks; what else there is to do, such as telling a hook, does not queue up behind those. */
final class ForeignThreads implements Runner {

    private final Executor executor;
    private final Runner own = Runner.freshVirtualThreads();

    ForeignThreads(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void start(Runnable work) {
        if (work instanceof Launch) {
            executor.execute(work);
        } else {
            own.start(work);
        }
    }
}
