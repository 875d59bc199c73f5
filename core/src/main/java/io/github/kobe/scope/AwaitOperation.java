package io.github.kobe.scope;

import io.github.kobe.internal.kernel.BlockedWait;
import io.github.kobe.internal.util.SpinWait;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One thread waits for several tasks of a scope, and applies the failure policy as soon as one fails. */
final class AwaitOperation {

    private final ScopeTasks scopeTasks;
    private final FailurePolicy policy;
    private final List<ScopeTaskImpl<?>> tasks;
    private int open; // the tasks from this index on have completed
    private @Nullable Set<ScopeTaskImpl<?>> members; // created for the first failure

    AwaitOperation(ScopeTasks scopeTasks, FailurePolicy policy, List<ScopeTaskImpl<?>> tasks) {
        this.scopeTasks = scopeTasks;
        this.policy = policy;
        this.tasks = tasks;
        this.open = tasks.size();
    }

    /** Returns {@code tasks}, which must belong to {@code scope}. */
    static List<ScopeTaskImpl<?>> requireTasksOf(ScopeState scope, Collection<? extends Task<?>> tasks) {
        Objects.requireNonNull(tasks, "tasks");
        List<ScopeTaskImpl<?>> checked = new ArrayList<>(tasks.size());
        for (Task<?> task : tasks) {
            ScopeTaskImpl<?> known = (ScopeTaskImpl<?>) Objects.requireNonNull(task, "task");
            if (known.tasks().scope() != scope) {
                throw new IllegalArgumentException(known + " is not a task of " + scope.id());
            }
            checked.add(known);
        }
        return checked;
    }

    /** Waits for all tasks, or for the first failure if that cancels the others. */
    Outcome await() throws InterruptedException {
        if (areAllCompleted()) {
            return awaitOutcome();
        }
        BlockedWait wait = scopeTasks.beginWait(tasks);
        boolean inTime = true;
        try {
            return awaitOutcome();
        } catch (InterruptedException | ScopeTimeoutException e) {
            inTime = false;
            throw e;
        } finally {
            scopeTasks.endWait(wait, inTime);
        }
    }

    private Outcome awaitOutcome() throws InterruptedException {
        boolean cancelsOthers = policy.cancelsOthers();
        ScopeTaskImpl<?> failed = awaitAll(
                cancelsOthers ? CompletionWaiter.forFailures(scopeTasks) : CompletionWaiter.of(scopeTasks),
                cancelsOthers);
        if (failed != null) {
            scopeTasks.recordFailureTree(() -> ScopeTreeFormatter.format(scopeTasks.scope(), tasks));
            cancelOthers(failed);
            if (policy == FailurePolicy.FAIL_FAST) {
                failed.valueOf(Objects.requireNonNull(failed.completionOrNull())); // throws its failure
            }
            awaitAll(CompletionWaiter.of(scopeTasks), false);
        }
        return outcome();
    }

    /** Waits for one task after the other. Returns the first failed one if {@code cancelsOthers}; {@code null} if there is none. */
    private @Nullable ScopeTaskImpl<?> awaitAll(CompletionWaiter waiter, boolean cancelsOthers)
            throws InterruptedException {
        if (SpinWait.until(() -> areAllCompleted() || (cancelsOthers && scopeTasks.hasFailures()))
                && areAllCompleted()) {
            return cancelsOthers ? firstFailed() : null;
        }
        scopeTasks.addListener(waiter);
        try {
            ScopeTaskImpl<?> failed = cancelsOthers ? firstFailed() : null; // failures before the listener was added
            for (int i = 0; i < tasks.size() && failed == null; i++) {
                failed = await(tasks.get(i), waiter);
            }
            return failed == null && cancelsOthers ? firstFailed() : failed;
        } finally {
            scopeTasks.removeListener(waiter);
        }
    }

    private boolean areAllCompleted() {
        while (open > 0 && tasks.get(open - 1).completionOrNull() != null) {
            open--;
        }
        return open == 0;
    }

    /** Waits for {@code task}, or for a failure, which is returned. */
    private @Nullable ScopeTaskImpl<?> await(ScopeTaskImpl<?> task, CompletionWaiter waiter)
            throws InterruptedException {
        ScopeTaskImpl<?> failed = null;
        while (failed == null && task.completionOrNull() == null) {
            waiter.park(task, () -> task.completionOrNull() == null);
            failed = failedMember(waiter);
        }
        return failed;
    }

    private @Nullable ScopeTaskImpl<?> failedMember(CompletionWaiter waiter) {
        for (ScopeTaskImpl<?> task = waiter.nextFailure(); task != null; task = waiter.nextFailure()) {
            if (members().contains(task)) {
                return task;
            }
        }
        return null;
    }

    private Set<ScopeTaskImpl<?>> members() {
        if (members == null) {
            members = Collections.newSetFromMap(new IdentityHashMap<>());
            members.addAll(tasks);
        }
        return members;
    }

    /** A failure is counted before it is published: if the count is zero, this does not read the tasks, which other threads write. */
    private @Nullable ScopeTaskImpl<?> firstFailed() {
        if (!scopeTasks.hasFailures()) {
            return null;
        }
        for (ScopeTaskImpl<?> task : tasks) {
            if (task.hasFailed()) {
                return task;
            }
        }
        return null;
    }

    /** Last to first. In the other order the permit of one task would start the next. */
    private void cancelOthers(ScopeTaskImpl<?> failed) {
        for (ScopeTaskImpl<?> task : tasks.reversed()) {
            task.cancelFor("task '" + failed.name() + "' failed");
        }
    }

    /** Called when all have completed. Outcomes are counted before they are published, so if all succeeded the tasks are not read. */
    private Outcome outcome() {
        if (scopeTasks.hasOnlySuccesses()) {
            return new Outcome(tasks.size(), tasks.size(), 0, 0, List.of());
        }
        int succeeded = 0;
        int cancelled = 0;
        List<Throwable> failures = new ArrayList<>();
        for (ScopeTaskImpl<?> task : tasks) {
            TaskCompletion completion = task.completionOrNull();
            if (completion == null || completion.state() == Task.State.CANCELLED) {
                cancelled++;
            } else if (completion.error() == null) {
                succeeded++;
            } else {
                failures.add(completion.error());
            }
        }
        if (cancelled > 0) {
            scopeTasks.scope().throwIfDeadlinePassed(tasks);
        }
        if (policy == FailurePolicy.COLLECT_ALL && !failures.isEmpty()) {
            throw scopeTasks.scope().aggregate(tasks, failures);
        }
        List<Throwable> listed = policy == FailurePolicy.IGNORE_ALL ? List.of() : failures;
        return new Outcome(tasks.size(), succeeded, failures.size(), cancelled, listed);
    }
}
