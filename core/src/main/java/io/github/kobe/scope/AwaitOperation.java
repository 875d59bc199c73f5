package io.github.kobe.scope;

import io.github.kobe.internal.util.SpinWait;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One thread waits for several tasks of a scope, and does what the failure policy has for those that fail, when they do. */
final class AwaitOperation {

    private final ScopeTasks crew;
    private final FailurePolicy policy;
    private final List<ScopeTaskImpl<?>> tasks;
    private int open; // those from here on have ended
    private @Nullable Set<ScopeTaskImpl<?>> members; // made if there is a failure to look up

    AwaitOperation(ScopeTasks crew, FailurePolicy policy, List<ScopeTaskImpl<?>> tasks) {
        this.crew = crew;
        this.policy = policy;
        this.tasks = tasks;
        this.open = tasks.size();
    }

    /** The tasks, which must be those of {@code scope}. */
    static List<ScopeTaskImpl<?>> requireOurs(ScopeState scope, Collection<? extends Task<?>> tasks) {
        Objects.requireNonNull(tasks, "tasks");
        List<ScopeTaskImpl<?>> ours = new ArrayList<>(tasks.size());
        for (Task<?> task : tasks) {
            ScopeTaskImpl<?> known = (ScopeTaskImpl<?>) Objects.requireNonNull(task, "task");
            if (known.crew().scope() != scope) {
                throw new IllegalArgumentException(known + " is not a task of " + scope.id());
            }
            ours.add(known);
        }
        return ours;
    }

    /** Waits for all, or for the first failure if that cancels the others. */
    Outcome await() throws InterruptedException {
        boolean reacts = policy.cancelsOthers();
        ScopeTaskImpl<?> failed =
                awaitAll(reacts ? CompletionWaiter.forFailures(crew) : CompletionWaiter.of(crew), reacts);
        if (failed != null) {
            String tree = policy == FailurePolicy.FAIL_FAST ? ScopeTreeFormatter.of(crew.scope(), tasks) : "";
            cancelOthers(failed);
            if (policy == FailurePolicy.FAIL_FAST) {
                throwFailure(failed, tree);
            }
            awaitAll(CompletionWaiter.of(crew), false);
        }
        return outcome();
    }

    /** One after the other. The first failure if it {@code reacts} to that, else, and if all have ended without one, {@code null}. */
    private @Nullable ScopeTaskImpl<?> awaitAll(CompletionWaiter bell, boolean reacts) throws InterruptedException {
        if (SpinWait.until(() -> haveAllEnded() || (reacts && crew.hasFailures())) && haveAllEnded()) {
            return reacts ? firstFailed() : null;
        }
        crew.watch(bell);
        try {
            ScopeTaskImpl<?> failed = reacts ? firstFailed() : null; // those before the bell was hung up
            for (int i = 0; i < tasks.size() && failed == null; i++) {
                failed = await(tasks.get(i), bell);
            }
            return failed == null && reacts ? firstFailed() : failed;
        } finally {
            crew.unwatch(bell);
        }
    }

    private boolean haveAllEnded() {
        while (open > 0 && tasks.get(open - 1).end() != null) {
            open--;
        }
        return open == 0;
    }

    /** Waits for {@code task}, or for a failure that the bell tells of. */
    private @Nullable ScopeTaskImpl<?> await(ScopeTaskImpl<?> task, CompletionWaiter bell) throws InterruptedException {
        ScopeTaskImpl<?> failed = null;
        while (failed == null && task.end() == null) {
            bell.sleepFor(task, () -> task.end() == null);
            failed = heard(bell);
        }
        return failed;
    }

    private @Nullable ScopeTaskImpl<?> heard(CompletionWaiter bell) {
        for (ScopeTaskImpl<?> task = bell.nextFailure(); task != null; task = bell.nextFailure()) {
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

    /** A failure is counted before it is known: if none is, there is no need to look at tasks that others are at. */
    private @Nullable ScopeTaskImpl<?> firstFailed() {
        if (!crew.hasFailures()) {
            return null;
        }
        for (ScopeTaskImpl<?> task : tasks) {
            if (task.hasFailed()) {
                return task;
            }
        }
        return null;
    }

    /** Last to first: the other way round, the place of one would go to the next. */
    private void cancelOthers(ScopeTaskImpl<?> failed) {
        for (ScopeTaskImpl<?> task : tasks.reversed()) {
            task.cancelFor("task '" + failed.name() + "' failed");
        }
    }

    private static void throwFailure(ScopeTaskImpl<?> failed, String tree) {
        TaskCompletion end = Objects.requireNonNull(failed.end());
        ScopeTrace.addTo(Objects.requireNonNull(end.error()), tree);
        failed.valueOf(end);
    }

    /** When all have ended. Ends are counted before they are known, so mostly there is no need to look at each. */
    private Outcome outcome() {
        if (crew.onlySucceeds()) {
            return new Outcome(tasks.size(), tasks.size(), 0, 0, List.of());
        }
        int succeeded = 0;
        int cancelled = 0;
        List<Throwable> failures = new ArrayList<>();
        for (ScopeTaskImpl<?> task : tasks) {
            TaskCompletion end = task.end();
            if (end == null || end.state() == Task.State.CANCELLED) {
                cancelled++;
            } else if (end.error() == null) {
                succeeded++;
            } else {
                failures.add(end.error());
            }
        }
        if (cancelled > 0) {
            crew.scope().throwIfLate(tasks);
        }
        if (policy == FailurePolicy.COLLECT_ALL && !failures.isEmpty()) {
            throw crew.scope().aggregate(tasks, failures);
        }
        List<Throwable> listed = policy == FailurePolicy.IGNORE_ALL ? List.of() : failures;
        return new Outcome(tasks.size(), succeeded, failures.size(), cancelled, listed);
    }
}
