package io.github.kobe.internal.group;

import io.github.kobe.ContextCarrier.Captured;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.Rejection;
import io.github.kobe.TaskOptions;
import io.github.kobe.internal.kernel.AttemptLimits;
import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.kernel.TaskHome;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The part of a task that most tasks have in common. All tasks without options share one object, so that such a task needs a single
 * reference: the task object has 64 bytes, and 88 with its queue node. A task with options, one that carries a context, and a rejected task
 * have an object of their own.
 */
final class TaskSettings {

    final GroupEngine engine;
    final ListenerRegistry listeners;
    final TaskOptions options;

    /** {@code null} if the task has no options, or was rejected: then its only attempt is made without limits. */
    final @Nullable AttemptState attempts;

    /** {@code null} unless the task was not admitted. */
    final @Nullable RejectedState rejected;

    /** What the task carries from its submitter; {@code null} if nothing, and when the task has finished. */
    @Nullable
    Captured context;

    /** The scope whose task this is an attempt of; {@code null} if it was submitted by another caller. */
    final @Nullable String scopeId;

    private TaskSettings(
            GroupEngine engine,
            ListenerRegistry listeners,
            TaskOptions options,
            @Nullable AttemptState attempts,
            @Nullable RejectedState rejected,
            @Nullable Captured context,
            @Nullable String scopeId) {
        this.engine = engine;
        this.listeners = listeners;
        this.options = options;
        this.attempts = attempts;
        this.rejected = rejected;
        this.context = context;
        this.scopeId = scopeId;
    }

    /** The settings of all tasks without options and context. */
    static TaskSettings withoutOptions(GroupEngine engine, ListenerRegistry listeners) {
        return new TaskSettings(engine, listeners, TaskOptions.defaults(), null, null, null, null);
    }

    /** The settings of one task with these options. */
    TaskSettings with(TaskOptions taskOptions, AttemptLimits limits) {
        return new TaskSettings(engine, listeners, taskOptions, new AttemptState(limits), null, null, null);
    }

    /** The same for one task that carries {@code carried}. */
    TaskSettings with(Captured carried) {
        return new TaskSettings(engine, listeners, options, attempts, rejected, carried, scopeId);
    }

    /** The same for one task that is an attempt of a task of a scope. */
    TaskSettings ofScope(String id) {
        return new TaskSettings(engine, listeners, options, attempts, rejected, context, id);
    }

    /**
     * The settings of one task that was not admitted.
     *
     * @param home the group that rejected it, where its outcome is counted
     */
    TaskSettings rejected(Rejection rejection, @Nullable TaskHome home) {
        return new TaskSettings(engine, listeners, options, null, new RejectedState(rejection, home), context, scopeId);
    }

    /** Why a task was not admitted, and what its waiters get. */
    static final class RejectedState {
        final Rejection rejection;
        final @Nullable TaskHome home;

        /** Whether waiters get an exception. It is made for each of them, because most rejections have none. */
        boolean aborts;

        /** The exception that waiters get because a rejection handler threw it. */
        @Nullable
        RejectedTaskException thrownByHandler;

        /** Where the rejection is counted until a caller asks for it; {@code null} from then on, or if it is not counted. */
        final AtomicReference<UnaskedRejections.@Nullable Count> unasked = new AtomicReference<>();

        private RejectedState(Rejection rejection, @Nullable TaskHome home) {
            this.rejection = rejection;
            this.home = home;
        }
    }
}
