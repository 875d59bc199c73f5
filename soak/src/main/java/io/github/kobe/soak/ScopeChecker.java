package io.github.kobe.soak;

import io.github.kobe.scope.ScopeMetricsSnapshot;
import io.github.kobe.scope.Task;
import io.github.kobe.scope.TaskInfo;
import io.github.kobe.scope.ThreadHook;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Watches one scope from its opening to its close, and after. */
final class ScopeChecker implements ExecutionMonitor, ThreadHook {

    private final Recorder recorder;
    private final long op;
    private final boolean fresh;
    private final LimitChecker limit;
    private final @Nullable ExecutionMonitor group;

    private final Map<Long, AtomicInteger> starts = new ConcurrentHashMap<>();
    private final Map<Long, AtomicInteger> ends = new ConcurrentHashMap<>();
    private final List<Integer> cleanups = new ArrayList<>(); // on the thread that closes
    private int deferred;
    private volatile boolean closed;

    /**
     * @param fresh whether its threads are made for one task each
     * @param group where tasks run under the limits of a group as well; none if they do not
     */
    ScopeChecker(Recorder recorder, long op, int most, boolean fresh, @Nullable ExecutionMonitor group) {
        this.recorder = recorder;
        this.op = op;
        this.fresh = fresh;
        this.limit = new LimitChecker(Check.SCOPE_LIMIT, recorder, "the scope of op " + op, most);
        this.group = group;
    }

    private void checkOpen(String what) {
        recorder.check(Check.NOTHING_AFTER_CLOSE, !closed, op, () -> what + ", and the scope is closed");
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    @Override
    public void enter(TrackedTask probe) {
        checkOpen("a task begins");
        limit.enter(probe.opId);
        if (group != null && !probe.group.isEmpty()) {
            group.enter(probe);
        }
    }

    @Override
    public void exit(TrackedTask probe) {
        if (group != null && !probe.group.isEmpty()) {
            group.exit(probe);
        }
        limit.leave();
        checkOpen("a task ends");
    }

    /** A run of a schedule is under way. */
    void checkRun() {
        checkOpen("a schedule runs");
    }

    @Override
    public void runningAfterOutcome(TrackedTask probe) {
        // nobody looks: it has no handle
    }

    @Override
    public boolean usesFreshThreads() {
        return fresh;
    }

    // ---- hooks ---------------------------------------------------------------------------------------------------

    @Override
    public void onStart(TaskInfo info) {
        count(starts, info);
    }

    @Override
    public void onSuccess(TaskInfo info, Duration duration) {
        count(ends, info);
        InjectedException.throwIf(info.taskId() % 5 == 0, "a hook");
    }

    @Override
    public void onFailure(TaskInfo info, Throwable error, Duration duration) {
        count(ends, info);
        if (info.taskId() % 5 == 1) {
            throw new AssertionError(InjectedException.message("a hook"));
        }
    }

    @Override
    public void onCancel(TaskInfo info, Duration duration) {
        count(ends, info);
    }

    private void count(Map<Long, AtomicInteger> counts, TaskInfo info) {
        counts.computeIfAbsent(info.taskId(), id -> new AtomicInteger()).incrementAndGet();
        checkOpen("a hook is told");
    }

    // ---- cleanups ------------------------------------------------------------------------------------------------

    /** Another one; some throw. */
    Runnable cleanup() {
        int number = deferred++;
        return () -> {
            cleanups.add(number);
            int inside = limit.inside();
            recorder.check(Check.CLEANUPS_RUN, inside == 0, op, () -> inside + " tasks are running when cleanups do");
            InjectedException.throwIf(number % 3 == 2, "a cleanup");
        };
    }

    // ---- the close -----------------------------------------------------------------------------------------------

    /**
     * It has closed.
     *
     * @param tasks those that are known
     * @param hooked whether this was a hook of it
     * @param schedules whether there were tasks that are not known
     */
    void closed(List<? extends Task<?>> tasks, ScopeMetricsSnapshot metrics, boolean hooked, boolean schedules) {
        closed = true;
        int inside = limit.inside();
        recorder.check(Check.NOTHING_AFTER_CLOSE, inside == 0, op, () -> inside + " tasks run after the close");
        for (Task<?> task : tasks) {
            recorder.check(Check.DONE_AT_CLOSE, task.isDone(), op, () -> "not done at the close: " + task);
            recorder.countOutcome("scope " + task.state());
        }
        long completed = metrics.completed();
        boolean adds =
                (schedules ? completed >= tasks.size() : completed == tasks.size()) && metrics.started() <= completed;
        recorder.check(Check.METRICS_ADD_UP, adds, op, () -> tasks.size() + " tasks known, but " + metrics);
        if (hooked) {
            checkHooks(completed);
        }
        checkCleanups();
    }

    private void checkHooks(long completed) {
        boolean once = ends.values().stream().allMatch(n -> n.get() == 1)
                && starts.values().stream().allMatch(n -> n.get() == 1)
                && ends.keySet().containsAll(starts.keySet())
                && ends.size() == completed;
        recorder.check(
                Check.DONE_AT_CLOSE,
                once,
                op,
                () -> completed + " ended, hooks heard of starts " + starts + ", ends " + ends);
    }

    private void checkCleanups() {
        boolean fine = cleanups.size() == deferred;
        for (int i = 0; fine && i < deferred; i++) {
            fine = cleanups.get(i) == deferred - 1 - i;
        }
        recorder.check(Check.CLEANUPS_RUN, fine, op, () -> deferred + " cleanups, run in the order " + cleanups);
    }
}
