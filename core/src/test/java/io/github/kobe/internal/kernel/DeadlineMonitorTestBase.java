package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A dispatcher without threads, and tasks with time limits. */
abstract class DeadlineMonitorTestBase {

    static final int UNLIMITED = Integer.MAX_VALUE;
    static final long FOR_EVER = Long.MAX_VALUE;
    static final long NONE = AttemptLimits.NONE;

    final FakeTimer timer = new FakeTimer();
    private final Deque<TimedTask> started = new ArrayDeque<>();

    /** A task that the test starts and completes. */
    static class TimedTask extends KernelTask<String> {
        private final AttemptState attemptState;
        int slot;
        long retryIn = -1;

        TimedTask(long maxQueue, long timeout) {
            attemptState = new AttemptState(0, maxQueue, timeout, false);
        }

        @Override
        protected AttemptState attempts() {
            return attemptState;
        }

        @Override
        protected long retryDelay(Object result) {
            return retryIn;
        }

        @Override
        protected Object execute() {
            throw new AssertionError("the test completes it");
        }

        @Override
        protected Object failed(Throwable fault) {
            return "failed: " + fault;
        }

        @Override
        protected String cancelled(String why) {
            return "cancelled";
        }

        @Override
        protected String terminated(TerminationCause why) {
            return why.name();
        }

        String outcome() {
            return isCompleted() ? completion().join() : "not completed";
        }
    }

    final Dispatcher dispatcher(int limit, long ttl, int sweepCapacity) {
        return dispatcher(limit, ttl, sweepCapacity, timer);
    }

    final Dispatcher dispatcher(int limit, long ttl, int sweepCapacity, Timer clock) {
        timer.advance(1); // 0 means "not set"
        return new Dispatcher(
                key -> new GroupLimits(limit, UNLIMITED, UNLIMITED),
                new DispatcherConfig(
                        UNLIMITED, UNLIMITED, ttl, false, false, DispatcherConfig.NO_AGEING, sweepCapacity),
                new WeightedRoundRobin(),
                work -> started.add((TimedTask) work),
                clock);
    }

    final TimedTask submit(Dispatcher dispatcher, long maxQueue, long timeout) {
        return submit(dispatcher, new TimedTask(maxQueue, timeout));
    }

    final TimedTask submit(Dispatcher dispatcher, TimedTask task) {
        assertThat(dispatcher.submit("g", task)).isEqualTo(Admission.ADMITTED);
        return task;
    }

    final TimedTask started(Dispatcher dispatcher, long timeout) {
        return started(dispatcher, new TimedTask(NONE, timeout));
    }

    final TimedTask started(Dispatcher dispatcher, TimedTask task) {
        submit(dispatcher, task);
        return beginNext();
    }

    final TimedTask beginNext() {
        TimedTask task = started.remove();
        task.slot = task.register();
        if (task.startedAt == 0) {
            task.startedAt = timer.nanoTime();
        }
        task.begin();
        return task;
    }

    static void end(TimedTask task) {
        task.finishTask(task.slot, task.isDecided() ? null : "ran");
        Thread.interrupted(); // the task ran on this thread
    }

    static Group group(Dispatcher dispatcher) {
        return dispatcher.groups().iterator().next();
    }

    static List<KernelTask<?>> runningTasks(Dispatcher dispatcher) {
        List<KernelTask<?>> all = new ArrayList<>();
        group(dispatcher).running().forEach(all::add);
        return all;
    }
}
