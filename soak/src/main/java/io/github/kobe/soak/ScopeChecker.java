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

/** Checks one scope: its tasks, hooks and cleanups, and that nothing runs after it is closed. */
final class ScopeChecker implements ExecutionMonitor, ThreadHook {

    private final CheckRecorder recorder;
    private final long opId;
    private final boolean freshThreads;
    private final LimitChecker limit;
    private final @Nullable ExecutionMonitor groupMonitor;

    private final Map<Long, AtomicInteger> startEvents = new ConcurrentHashMap<>();
    private final Map<Long, AtomicInteger> outcomeEvents = new ConcurrentHashMap<>();
    private final List<Integer> cleanupsRun = new ArrayList<>(); // used by the closing thread only
    private int cleanupsRegistered;
    private volatile boolean closed;

    /**
     * @param freshThreads whether each task has a new thread of its own
     * @param groupMonitor also checks the tasks that run in a group; {@code null} if they are not to be checked
     */
    ScopeChecker(
            CheckRecorder recorder,
            long opId,
            int limit,
            boolean freshThreads,
            @Nullable ExecutionMonitor groupMonitor) {
        this.recorder = recorder;
        this.opId = opId;
        this.freshThreads = freshThreads;
        this.limit = new LimitChecker(Check.SCOPE_LIMIT, recorder, "the scope of op " + opId, limit);
        this.groupMonitor = groupMonitor;
    }

    private void checkOpen(String event) {
        recorder.check(Check.NOTHING_AFTER_CLOSE, !closed, opId, () -> event + " after the scope was closed");
    }

    // ---- tasks ---------------------------------------------------------------------------------------------------

    @Override
    public void enter(TrackedTask task) {
        checkOpen("a task starts");
        limit.enter(task.opId);
        if (groupMonitor != null && !task.group.isEmpty()) {
            groupMonitor.enter(task);
        }
    }

    @Override
    public void exit(TrackedTask task) {
        if (groupMonitor != null && !task.group.isEmpty()) {
            groupMonitor.exit(task);
        }
        limit.exit();
        checkOpen("a task ends");
    }

    /** Called during each run of a scheduled task. */
    void scheduledRun() {
        checkOpen("a scheduled task runs");
    }

    @Override
    public void runningAfterOutcome(TrackedTask task) {
        // not called: tasks of a scope are tracked without a handle
    }

    @Override
    public boolean usesFreshThreads() {
        return freshThreads;
    }

    // ---- hooks ---------------------------------------------------------------------------------------------------

    @Override
    public void onStart(TaskInfo info) {
        countEvent(startEvents, info);
    }

    @Override
    public void onSuccess(TaskInfo info, Duration duration) {
        countEvent(outcomeEvents, info);
        InjectedException.throwIf(info.taskId() % 5 == 0, "a hook");
    }

    @Override
    public void onFailure(TaskInfo info, Throwable error, Duration duration) {
        countEvent(outcomeEvents, info);
        if (info.taskId() % 5 == 1) {
            throw new AssertionError(InjectedException.message("a hook"));
        }
    }

    @Override
    public void onCancel(TaskInfo info, Duration duration) {
        countEvent(outcomeEvents, info);
    }

    private void countEvent(Map<Long, AtomicInteger> events, TaskInfo info) {
        events.computeIfAbsent(info.taskId(), id -> new AtomicInteger()).incrementAndGet();
        checkOpen("a hook is called");
    }

    // ---- cleanups ------------------------------------------------------------------------------------------------

    /** Returns the next cleanup to register. Every third one throws. */
    Runnable newCleanup() {
        int number = cleanupsRegistered++;
        return () -> {
            cleanupsRun.add(number);
            int running = limit.running();
            recorder.check(
                    Check.CLEANUPS_RUN, running == 0, opId, () -> running + " tasks run at the time of a cleanup");
            InjectedException.throwIf(number % 3 == 2, "a cleanup");
        };
    }

    // ---- close ---------------------------------------------------------------------------------------------------

    /**
     * Called after the scope was closed.
     *
     * @param tasks the tasks whose handles are known
     * @param hooked whether this object was a hook of the scope
     * @param hasOtherTasks whether the scope had further tasks
     */
    void checkClosed(
            List<? extends Task<?>> tasks, ScopeMetricsSnapshot metrics, boolean hooked, boolean hasOtherTasks) {
        closed = true;
        int running = limit.running();
        recorder.check(Check.NOTHING_AFTER_CLOSE, running == 0, opId, () -> running + " tasks run after the close");
        for (Task<?> task : tasks) {
            recorder.check(Check.DONE_AT_CLOSE, task.isDone(), opId, () -> "not done at the close: " + task);
            recorder.countOutcome("scope " + task.state());
        }
        long completed = metrics.completed();
        boolean addsUp = (hasOtherTasks ? completed >= tasks.size() : completed == tasks.size())
                && metrics.started() <= completed;
        recorder.check(
                Check.METRICS_ADD_UP,
                addsUp,
                opId,
                () -> tasks.size() + " tasks are known, but metrics are " + metrics);
        if (hooked) {
            checkHookEvents(completed);
        }
        checkCleanups();
    }

    private void checkHookEvents(long completed) {
        boolean onceEach = outcomeEvents.values().stream().allMatch(count -> count.get() == 1)
                && startEvents.values().stream().allMatch(count -> count.get() == 1)
                && outcomeEvents.keySet().containsAll(startEvents.keySet())
                && outcomeEvents.size() == completed;
        recorder.check(
                Check.DONE_AT_CLOSE,
                onceEach,
                opId,
                () -> completed + " tasks completed, but hooks heard starts " + startEvents + " and outcomes "
                        + outcomeEvents);
    }

    private void checkCleanups() {
        boolean inReverseOrder = cleanupsRun.size() == cleanupsRegistered;
        for (int i = 0; inReverseOrder && i < cleanupsRegistered; i++) {
            inReverseOrder = cleanupsRun.get(i) == cleanupsRegistered - 1 - i;
        }
        recorder.check(
                Check.CLEANUPS_RUN,
                inReverseOrder,
                opId,
                () -> cleanupsRegistered + " cleanups were registered, and ran in the order " + cleanupsRun);
    }
}
