package io.github.kobe.scope;

import io.github.kobe.ContextCarrier;
import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskOptions;
import io.github.kobe.TaskStatus;
import io.github.kobe.internal.group.ScopeWork;
import io.github.kobe.internal.kernel.BlockedWait;
import io.github.kobe.internal.kernel.KernelTask;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How one task of a scope gets to a thread if it runs under the limits of a group: each of its attempts is submitted to the group as a
 * group task.
 *
 * <p>The scope's task completes, or awaits its retry, when the group task has completed: then the group's permit is released, and a
 * thread that waited for the scope's task finds it free.
 */
final class GroupRoute {

    private final GroupExecutor groups;
    private final String groupKey;
    private volatile @Nullable Attempt attempt; // the last one

    GroupRoute(GroupExecutor groups, String groupKey) {
        this.groups = groups;
        this.groupKey = groupKey;
    }

    String groupKey() {
        return groupKey;
    }

    /** Submits the next attempt of {@code task} to the group. */
    void submit(ScopeTaskImpl<?> task, Handoff handoff) {
        Attempt next = new Attempt(task, handoff);
        attempt = next;
        next.submit();
    }

    /** The work of the current attempt has returned; still on its thread. */
    void workReturned(TaskCompletion result, long now) {
        Attempt current = current();
        current.doneAt = now;
        current.result = result; // after doneAt, which is read if there is a result
    }

    /** Calls {@code finish} when the group task of the current attempt has completed. */
    void afterGroupTask(Runnable finish) {
        current().workFinished(finish);
    }

    /** When the work of the last attempt returned; {@code completedAt} if it did not run. */
    long workDoneAt(long completedAt) {
        Attempt last = attempt;
        return last == null || last.result == null ? completedAt : last.doneAt;
    }

    /** Takes the group task out of the group's queue. */
    void cancelGroupTask() {
        Attempt last = attempt;
        TaskHandle<?> handle = last == null ? null : last.groupTask;
        if (handle != null) {
            handle.cancel(false);
        }
    }

    /** Has {@code wait} wait for the group task, if it was submitted. */
    void offerGroupTaskTo(BlockedWait wait) {
        Attempt last = attempt;
        TaskHandle<?> handle = last == null ? null : last.groupTask;
        if (handle instanceof KernelTask<?> groupTask) {
            wait.add(groupTask);
        }
    }

    private Attempt current() {
        return Objects.requireNonNull(attempt);
    }

    /** The group task of one attempt. It has the context of the scope's task, which installs it itself. */
    private final class Attempt implements ScopeWork<@Nullable Object> {
        private final ScopeTaskImpl<?> task;
        private final Handoff handoff;
        private final Thread submitter = Thread.currentThread();
        private volatile @Nullable Thread groupThread;
        private volatile @Nullable TaskHandle<?> groupTask;
        private volatile @Nullable TaskCompletion result; // null if the work has not run
        private long doneAt;
        private @Nullable Runnable finish; // set when the work is done

        /** Set by the first of two steps: the work is done, the group task has completed. The second one finishes the attempt. */
        private final AtomicBoolean firstStepDone = new AtomicBoolean();

        Attempt(ScopeTaskImpl<?> task, Handoff handoff) {
            this.task = task;
            this.handoff = handoff;
        }

        void submit() {
            TaskOptions options =
                    TaskOptions.builder().priority(task.priority()).build();
            TaskHandle<?> handle = handoff.enter(() -> submitInContext(options));
            if (handle != null) {
                groupTask = handle;
                if (handle instanceof KernelTask<?> submitted) {
                    task.tasks().groupTaskSubmitted(submitted);
                }
                var unused = handle.toCompletableFuture().whenComplete(this::groupTaskCompleted);
            }
        }

        /** Callbacks of the group that its submitter calls have the context too. The calling thread may be any. */
        private TaskHandle<?> submitInContext(TaskOptions options) {
            Supplier<TaskHandle<?>> submission =
                    () -> groups.<@Nullable Object>submit(groupKey, task.name(), this, options);
            return context() == null ? submission.get() : task.inContext(submission);
        }

        @Override
        public String scopeId() {
            return task.tasks().scopeId();
        }

        @Override
        public ContextCarrier.@Nullable Captured context() {
            return task.context();
        }

        /** The outcome of the attempt is also the outcome of the group task. */
        @Override
        public @Nullable Object call() throws Exception {
            groupThread = Thread.currentThread();
            handoff.runOnCurrentThread();
            TaskCompletion published = task.completionOrNull();
            TaskCompletion completion = published == null ? result : published;
            if (completion != null && completion.state() == Task.State.CANCELLED) {
                throw new CancellationException(completion.reason());
            }
            if (completion != null && completion.error() instanceof Exception exception) {
                throw exception;
            }
            return completion == null ? null : task.valueOf(completion);
        }

        /** If its group was stopped, the group task has completed already, with the work still on its thread. */
        void workFinished(Runnable toFinish) {
            if (!isOnGroupThread()) {
                toFinish.run();
                return;
            }
            finish = toFinish;
            if (firstStepDone.getAndSet(true)) {
                toFinish.run();
            }
        }

        /**
         * If not, the group task is not waited for: a hook that does not return blocks its thread, or the group runs tasks on their
         * submitters, which hold no permit.
         */
        @SuppressWarnings("ReferenceEquality") // identity of threads
        private boolean isOnGroupThread() {
            Thread current = Thread.currentThread();
            return current == groupThread && current != submitter;
        }

        private void groupTaskCompleted(@Nullable GroupResult<?> groupResult, @Nullable Throwable fault) {
            if (firstStepDone.getAndSet(true)) {
                Objects.requireNonNull(finish).run();
            } else { // without effect if the task ran or the handoff was revoked
                handoff.completeWithoutThread(() -> completionWithoutRunning(groupResult, fault));
            }
        }

        /** The work did not run in the group. A rejection handler of the group may have supplied a result. */
        private TaskCompletion completionWithoutRunning(
                @Nullable GroupResult<?> groupResult, @Nullable Throwable fault) {
            if (groupResult != null && groupResult.status() == TaskStatus.SUCCESS) {
                task.setValue(groupResult.value());
                return TaskCompletion.SUCCESS;
            }
            if (groupResult != null && groupResult.status() == TaskStatus.CANCELLED) {
                return new TaskCompletion(Task.State.CANCELLED, groupResult.error(), "by its group", 0);
            }
            Throwable error = fault instanceof CompletionException wrapped ? wrapped.getCause() : fault;
            if (error == null && groupResult != null && groupResult.status() == TaskStatus.FAILED) {
                error = groupResult.error();
            }
            if (error == null && groupResult != null && groupResult.rejection() != null) {
                error = new RejectedTaskException(
                        groupResult.groupKey(), groupResult.taskId(), groupResult.rejection());
            }
            Throwable known = error == null ? new IllegalStateException("rejected by its group") : error;
            return new TaskCompletion(Task.State.FAILED, known, "", 0);
        }
    }
}
