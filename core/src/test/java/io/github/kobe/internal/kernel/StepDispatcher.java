package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A dispatcher without threads. A test completes the started tasks one at a time. */
final class StepDispatcher implements TaskRunner {

    final FakeTimer timer = new FakeTimer();
    final Dispatcher dispatcher;
    private final Deque<SimulatedTask> started = new ArrayDeque<>();
    private @Nullable Runnable beforeFailure;
    private int number;

    StepDispatcher(int limit, int globalLimit, long ttl) {
        this(key -> new GroupLimits(limit, Integer.MAX_VALUE, Integer.MAX_VALUE), globalLimit, ttl);
    }

    StepDispatcher(LimitSource limits, int globalLimit, long ttl) {
        this(limits, new DispatcherConfig(globalLimit, Integer.MAX_VALUE, ttl, false, false));
    }

    StepDispatcher(LimitSource limits, DispatcherConfig config) {
        this(limits, config, null);
    }

    /** @param leases {@code null} if no limit is leased */
    StepDispatcher(LimitSource limits, DispatcherConfig config, @Nullable TestLeases leases) {
        this(limits, config, leases, new WeightedRoundRobin());
    }

    /** @param leases {@code null} if no limit is leased */
    StepDispatcher(LimitSource limits, DispatcherConfig config, @Nullable TestLeases leases, ReadyQueue readyQueue) {
        dispatcher =
                new Dispatcher(limits, config, readyQueue, this, timer, leases == null ? null : leases.newControl());
        if (leases != null) {
            leases.failHintsIf(() -> dispatcher.groupsInUse().stream().anyMatch(Thread::holdsLock));
        }
    }

    @Override
    public void start(Runnable work) {
        for (Group group : dispatcher.groups()) {
            if (Thread.holdsLock(group)) {
                throw new AssertionError("called under the monitor of " + group.key());
            }
        }
        Runnable failure = beforeFailure;
        if (failure != null) {
            beforeFailure = null;
            failure.run();
            throw new IllegalStateException("no thread");
        }
        if (work instanceof SimulatedTask task) {
            if (task.mayBegin()) {
                task.slot = task.register();
                started.add(task);
            }
        } else {
            work.run();
        }
    }

    SimulatedTask submit(String key) {
        SimulatedTask task = new SimulatedTask(key, number++, SimulatedTask.CompletionListening.NONE);
        Admission admission = dispatcher.submit(key, task);
        if (admission != Admission.ADMITTED) {
            throw new AssertionError(admission);
        }
        return task;
    }

    /** As {@link #submit(String)}, of a task that takes {@code cost} permits. */
    SimulatedTask submit(String key, int cost) {
        SimulatedTask task = costly(key, cost);
        Admission admission = dispatcher.submit(key, task);
        if (admission != Admission.ADMITTED) {
            throw new AssertionError(admission);
        }
        return task;
    }

    /** A task that is not submitted yet. */
    SimulatedTask costly(String key, int cost) {
        AttemptState attempts = new AttemptState(
                new AttemptLimits(0, AttemptLimits.NONE, AttemptLimits.NONE, AttemptLimits.NONE, false, false, cost));
        return new SimulatedTask(
                key,
                number++,
                SimulatedTask.CompletionListening.NONE,
                SimulatedTask.Options.NONE.withCost(cost),
                attempts,
                null);
    }

    /** The number of tasks that hold a permit. */
    int running() {
        return started.size();
    }

    SimulatedTask newest() {
        return started.getLast();
    }

    boolean runs(SimulatedTask task) {
        return started.contains(task);
    }

    /** There is no thread for the next task that starts. */
    void failNextStart(Runnable before) {
        beforeFailure = before;
    }

    /** The attempt of the task fails, and there is another one. */
    void failAttempt(SimulatedTask task) {
        started.remove(task);
        task.finishAttempt(task.slot, "failed");
    }

    /** Completes the task that was started first. */
    SimulatedTask finishOldest() {
        return finish(started.getFirst());
    }

    SimulatedTask finish(SimulatedTask task) {
        started.remove(task);
        task.finishTask(task.slot, task.isDecided() ? null : "ran");
        return task;
    }
}
