package io.github.kobe.scope;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A scope in the simulation's books, and the hook that keeps them. */
final class SimScope implements ThreadHook {

    /** A task in the books. */
    static final class Entry {
        final Task<?> task;
        int futureTold;
        Task.@Nullable State end;

        Entry(Task<?> task) {
            this.task = task;
        }
    }

    final ThreadScope scope;
    final @Nullable SimThread owner;
    final int limit;
    final List<Entry> tasks = new ArrayList<>();
    final List<ScheduledTask> schedules = new ArrayList<>();
    private final Map<Long, Integer> startsTold = new HashMap<>();
    private final Map<Long, Integer> endsTold = new HashMap<>();
    private final List<String> complaints;
    boolean observed;
    boolean grouped;
    boolean hookThrows;
    boolean closed;
    int endsPerEnd = 1;
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

    void begins(boolean first) {
        begun += first ? 1 : 0;
        running++;
        check(!closed, "nothing runs after close: " + scope.id());
        check(running <= limit, "limit: " + running + " run where " + limit + " may");
    }

    void ends() {
        check(!closed, "nothing runs after close: " + scope.id());
        running--;
    }

    // ---- hook ----------------------------------------------------------------------------------------------------

    @Override
    public void onStart(TaskInfo info) {
        check(!endsTold.containsKey(info.taskId()), "told in order: a start after the end of " + info);
        check(startsTold.merge(info.taskId(), 1, Integer::sum) == 1, "told once: two starts of " + info);
        throwMaybe();
    }

    private void ended(TaskInfo info) {
        if (endsPerEnd > 0) {
            endsTold.merge(info.taskId(), endsPerEnd, Integer::sum);
        }
        throwMaybe();
    }

    @Override
    public void onSuccess(TaskInfo info, Duration duration) {
        ended(info);
    }

    @Override
    public void onFailure(TaskInfo info, Throwable error, Duration duration) {
        ended(info);
    }

    @Override
    public void onCancel(TaskInfo info, Duration duration) {
        ended(info);
    }

    private void throwMaybe() {
        if (hookThrows) {
            throw new IllegalStateException("a hook that throws");
        }
    }

    // ---- checks --------------------------------------------------------------------------------------------------

    /** An end, once there, stays. */
    void compare() {
        for (Entry entry : tasks) {
            if (entry.task.isDone()) {
                Task.State now = entry.task.state();
                check(entry.end == null || entry.end == now, "one end: " + entry.end + " became " + now);
                entry.end = now;
            } else {
                check(entry.end == null, "one end: " + entry.end + " was left");
            }
        }
    }

    void checkClosed() {
        compare();
        ScopeMetricsSnapshot metrics = scope.metrics();
        int[] ends = new int[Task.State.values().length];
        for (Entry entry : tasks) {
            check(entry.task.isDone(), "every task ends: " + entry.task);
            check(entry.futureTold == 1, "one end: told " + entry.futureTold + " times: " + entry.task);
            ends[entry.task.state().ordinal()]++;
        }
        check(running == 0, "nothing runs: " + running + " in " + scope.id());
        boolean exact = schedules.isEmpty(); // a run may find that its schedule is cancelled before it does anything
        check(
                exact ? metrics.started() == begun : metrics.started() >= begun,
                "metrics: started " + metrics.started() + ", began " + begun);
        if (runsOfSchedules == 0 && schedules.isEmpty()) {
            check(metrics.completed() == tasks.size(), "metrics: " + metrics + " of " + tasks.size());
            check(metrics.succeeded() == ends[Task.State.SUCCESS.ordinal()], "metrics: succeeded " + metrics);
            check(metrics.failed() == ends[Task.State.FAILED.ordinal()], "metrics: failed " + metrics);
            check(metrics.cancelled() == ends[Task.State.CANCELLED.ordinal()], "metrics: cancelled " + metrics);
        }
        schedules.forEach(schedule -> check(schedule.isDone(), "schedules end with their scope"));
        if (observed) {
            checkTold(metrics);
        }
    }

    private void checkTold(ScopeMetricsSnapshot metrics) {
        check(
                endsTold.size() == metrics.completed(),
                "told once: " + endsTold.size() + " ends told of " + metrics.completed());
        check(endsTold.values().stream().allMatch(n -> n == 1), "told once: " + endsTold);
        check(startsTold.size() >= metrics.started(), "told once: started " + metrics + ", told " + startsTold.size());
        tasks.forEach(entry -> check(endsTold.containsKey(entry.task.id()), "told once: never told of " + entry.task));
    }
}
