package io.github.kobe;

import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What is to be told of a task's attempts, on its thread; each part {@code null} if it is not set. */
record AttemptCallbacks(
        @Nullable Consumer<TaskIdentity> before,
        @Nullable BiConsumer<TaskIdentity, @Nullable Throwable> after,
        @Nullable Consumer<Throwable> recovery,
        @Nullable Consumer<String> log) {

    void begins(TaskIdentity task) {
        if (log != null) {
            log.accept(TaskDescription.of(task) + " begins");
        }
        if (before != null) {
            before.accept(task);
        }
    }

    void recovers(Throwable fault) {
        if (recovery != null) {
            recovery.accept(fault);
        }
    }

    /** @param fault what it threw; {@code null} if it returned */
    void ends(TaskIdentity task, @Nullable Throwable fault) {
        if (after != null) {
            after.accept(task, fault);
        }
        if (log != null) {
            log.accept(TaskDescription.of(task) + (fault == null ? " returned" : " threw " + fault));
        }
    }
}
