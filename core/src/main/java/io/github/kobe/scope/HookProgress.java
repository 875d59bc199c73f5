package io.github.kobe.scope;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How far a hook has been told of a task: the end waits until a start has been told, and after the end no start is. */
final class HookProgress {

    final Instant createdAt = Instant.now();
    private boolean starting; // guarded by the monitor, as are the next two
    private boolean ended;
    private @Nullable Runnable end;

    /** A start is about to be told. False if the end is: then there is nothing to start. */
    synchronized boolean startBegins() {
        starting = !ended;
        return starting;
    }

    /** The start is told, or not waited for: tells an end that has come meanwhile. */
    void startIsOver() {
        Runnable waiting;
        synchronized (this) {
            starting = false;
            waiting = end;
            end = null;
        }
        if (waiting != null) {
            waiting.run();
        }
    }

    /** Has the end told, by {@code tell}, now or when the start has been. */
    void end(Runnable tell) {
        synchronized (this) {
            ended = true;
            if (starting) {
                end = tell;
                return;
            }
        }
        tell.run();
    }
}
