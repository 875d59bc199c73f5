package io.github.kobe.internal.group;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import java.util.concurrent.Callable;

/** Work that is told what happens to its task. It is an abstract class because every task tests for it: that is cheaper than an interface. */
abstract class TrackedWork {

    /**
     * Runs the work.
     *
     * @return the packed outcome of {@code task}
     */
    abstract Object execute(GroupTaskImpl<?> task);

    /** The work, for a rejection handler. */
    abstract Callable<Object> forHandler();

    /** Its task was rejected, and the submitter is told so by {@code exception}. */
    abstract void aborted(RejectedTaskException exception);

    /** Its task was rejected, and {@code result} is what the rejection policy or handler decided. */
    abstract void rejected(GroupResult<?> result);

    /** No thread could be started for it. */
    abstract void startFailed(Throwable fault);

    /** Its task completed before the work started, or while it runs. */
    abstract void dropped();

    /** The outcome of its task was published after listeners were called; or the work is off its thread and its permit is released. */
    abstract void finished();
}
