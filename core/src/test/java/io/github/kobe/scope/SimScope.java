package io.github.kobe.scope;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A scope of the simulation, with the hook that records its tasks. */
final class SimScope implements ThreadHook {

    /** A recorded task. */
    static final class Entry {
        final Task<?> task;
        int futureTold;
        Task.@Nullable State outcome;

        Entry(Task<?> task) {
            this.task = task;
        }
    }

    final ThreadScope scope;
    final @Nullable SimThread owner;
    final int limit;
    final List<Entry> tasks = new ArrayList<>();
    final List<ScheduledTask> schedules = new ArrayList<>();
    private final Map<Long, Integer> startsNotified = new HashMap<>();
    private final Map<Long, Integer> completionsNotified = new HashMap<>();
    private final List<String> complaints;
    boolean hooked;
    boolean grouped;
    boolean hookThrows;
    boolean closed;
    int notificationsPerCompletion = 1;
    int running;
    int begun;
    int runsOfSchedules;

    SimScope(ThreadScope scope, @Nullable SimThread owner, int limit, List<String> complaints) {
        this.scope = scope;
        this.owner = owner;
        this.limit = limit;
        this.complaints = complaints;
    }

    void check(boolean holds, String complaint) {
        if (!holds) {
            complaints.add(complaint);
        }
    }

    // ---- work ----------------------------------------------------------------------------------------------------

    void started(boolean first) {
        begun += first ? 1 : 0;
        running++;
        check(!closed, "nothing runs after close: " + scope.id());
        check(running <= limit, "limit: " + running + " run where " + limit + " may");
    }

    void finished() {
        check(!closed, "nothing runs after close: " + scope.id());
        running--;
    }

    // ---- hook ----------------------------------------------------------------------------------------------------

    @Override
    public void onStart(TaskInfo info) {
        check(
                !completionsNotified.containsKey(info.taskId()),
                "notified in order: a start after the completion of " + info);
        check(startsNotified.merge(info.taskId(), 1, Integer::sum) == 1, "notified once: two starts of " + info);
        throwMaybe();
    }

    private void completed(TaskInfo info) {
        if (notificationsPerCompletion > 0) {
            completionsNotified.merge(info.taskId(), notificationsPerCompletion, Integer::sum);
        }
        throwMaybe();
    }

    @Override
    public void onSuccess(TaskInfo info, Duration duration) {
        completed(info);
    }

    @Override
    public void onFailure(TaskInfo info, Throwable error, Duration duration) {
        completed(info);
    }

    @Override
    public void onCancel(TaskInfo info, Duration duration) {
        completed(info);
    }

    private void throwMaybe() {
        if (hookThrows) {
            throw new IllegalStateException("a hook that throws");
        }
    }

    // ---- checks --------------------------------------------------------------------------------------------------

    /** An outcome never changes. */
    void compare() {
        for (Entry entry : tasks) {
            if (entry.task.isDone()) {
                Task.State now = entry.task.state();
                check(
                        entry.outcome == null || entry.outcome == now,
                        "one outcome: " + entry.outcome + " became " + now);
                entry.outcome = now;
            } else {
                check(entry.outcome == null, "one outcome: " + entry.outcome + " was left");
            }
        }
    }

    void checkClosed() {
        compare();
        ScopeMetricsSnapshot metrics = scope.metrics();
        int[] outcomes = new int[Task.State.values().length];
        for (Entry entry : tasks) {
            check(entry.task.isDone(), "every task completes: " + entry.task);
            check(entry.futureTold == 1, "one outcome: notified " + entry.futureTold + " times: " + entry.task);
            outcomes[entry.task.state().ordinal()]++;
        }
        check(running == 0, "nothing runs: " + running + " in " + scope.id());
        boolean exact = schedules.isEmpty(); // a run may find that its schedule is cancelled before it does anything
        check(
                exact ? metrics.started() == begun : metrics.started() >= begun,
                "metrics: started " + metrics.started() + ", began " + begun);
        if (runsOfSchedules == 0 && schedules.isEmpty()) {
            check(metrics.completed() == tasks.size(), "metrics: " + metrics + " of " + tasks.size());
            check(metrics.succeeded() == outcomes[Task.State.SUCCESS.ordinal()], "metrics: succeeded " + metrics);
            check(metrics.failed() == outcomes[Task.State.FAILED.ordinal()], "metrics: failed " + metrics);
            check(metrics.cancelled() == outcomes[Task.State.CANCELLED.ordinal()], "metrics: cancelled " + metrics);
        }
        schedules.forEach(schedule -> check(schedule.isDone(), "schedules are done with their scope"));
        if (hooked) {
            checkNotified(metrics);
        }
    }

    private void checkNotified(ScopeMetricsSnapshot metrics) {
        check(
                completionsNotified.size() == metrics.completed(),
                "notified once: " + completionsNotified.size() + " completions notified of " + metrics.completed());
        check(completionsNotified.values().stream().allMatch(n -> n == 1), "notified once: " + completionsNotified);
        check(
                startsNotified.size() >= metrics.started(),
                "notified once: started " + metrics + ", notified " + startsNotified.size());
        tasks.forEach(entry -> check(
                completionsNotified.containsKey(entry.task.id()), "notified once: never notified of " + entry.task));
    }
}
