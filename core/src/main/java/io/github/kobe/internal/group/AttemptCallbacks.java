package io.github.kobe.internal.group;

import io.github.kobe.TaskIdentity;
import io.github.kobe.TaskOptions;
import io.github.kobe.internal.util.Faults;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Calls the callbacks of a task's {@link TaskOptions} around each attempt, on the task's thread. */
final class AttemptCallbacks {

    private AttemptCallbacks() {}

    static boolean areSet(TaskOptions options) {
        return options.before() != null
                || options.after() != null
                || options.recovery() != null
                || options.log() != null;
    }

    static void beforeAttempt(TaskIdentity task, TaskOptions options, Faults faults) {
        guard("before hook", task, faults, () -> {
            Consumer<String> log = options.log();
            if (log != null) {
                log.accept(TaskDescription.of(task) + " begins");
            }
            Consumer<TaskIdentity> before = options.before();
            if (before != null) {
                before.accept(task);
            }
        });
    }

    /** @param error what the attempt threw; {@code null} if it returned */
    static void afterAttempt(TaskIdentity task, TaskOptions options, @Nullable Throwable error, Faults faults) {
        Consumer<Throwable> recovery = options.recovery();
        if (error != null && recovery != null) {
            guard("recovery", task, faults, () -> recovery.accept(error));
        }
        guard("after hook", task, faults, () -> {
            BiConsumer<TaskIdentity, @Nullable Throwable> after = options.after();
            if (after != null) {
                after.accept(task, error);
            }
            Consumer<String> log = options.log();
            if (log != null) {
                log.accept(TaskDescription.of(task) + (error == null ? " returned" : " threw " + error));
            }
        });
    }

    /** The interrupt flag belongs to the task: a callback neither sees it nor changes it. */
    private static void guard(String name, TaskIdentity task, Faults faults, Runnable callback) {
        boolean interrupted = Thread.interrupted();
        try {
            callback.run();
        } catch (Throwable fault) {
            faults.report(name, task, fault);
        }
        Thread.interrupted();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
