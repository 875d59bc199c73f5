package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.ReadyQueue;
import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.Timer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * A dispatcher on virtual time. Each task holds its permit for the duration of its group's tasks, and time advances from
 * completion to completion.
 */
final class VirtualTimeRunner implements TaskRunner {

    static final long FOR_EVER = Long.MAX_VALUE;

    private record RunningEntry(long end, int sequence, long start, SimulatedTask task) {}

    /** The group of every start, in order. */
    final List<String> starts = new ArrayList<>();

    final FakeTimer timer = new FakeTimer();
    private final Dispatcher dispatcher;
    private final Map<String, LongSupplier> durations = new HashMap<>();
    private final Map<String, Long> held = new HashMap<>();
    private final PriorityQueue<RunningEntry> running =
            new PriorityQueue<>(Comparator.comparingLong(RunningEntry::end).thenComparingInt(RunningEntry::sequence));

    VirtualTimeRunner(Function<Timer, ReadyQueue> strategy, int limit, int globalLimit) {
        timer.advance(1); // 0 means "not started"
        GroupLimits limits = new GroupLimits(limit, limit, Integer.MAX_VALUE);
        dispatcher = new Dispatcher(
                key -> limits, globalLimit, Integer.MAX_VALUE, Long.MAX_VALUE, strategy.apply(timer), this, timer);
    }

    /** With limits of the test's choice, and no global one. */
    VirtualTimeRunner(LimitSource limits) {
        this(limits, new WeightedRoundRobin());
    }

    VirtualTimeRunner(LimitSource limits, ReadyQueue strategy) {
        timer.advance(1);
        dispatcher =
                new Dispatcher(limits, Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE, strategy, this, timer);
    }

    void submit(String key, int tasks, long duration) {
        submit(key, tasks, () -> duration);
    }

    void submit(String key, int tasks, LongSupplier duration) {
        durations.put(key, duration);
        for (int i = 0; i < tasks; i++) {
            SimulatedTask task = new SimulatedTask(key, i, SimulatedTask.CompletionListening.NONE);
            if (dispatcher.submit(key, task) != Admission.ADMITTED) {
                throw new AssertionError("not admitted: " + task);
            }
        }
    }

    void weigh(String key, int weight) {
        group(key).fairnessState().setWeight(weight);
    }

    /** The group of {@code key}, which must have been used. */
    Group group(String key) {
        Group group = dispatcher.group(key);
        if (group == null) {
            throw new AssertionError("no group " + key);
        }
        return group;
    }

    void globalLimit(int limit) {
        dispatcher.setGlobalLimit(limit);
    }

    @Override
    public void start(Runnable work) {
        SimulatedTask task = (SimulatedTask) work;
        task.slot = task.register();
        long duration = durations.get(task.key).getAsLong();
        long now = timer.nanoTime();
        running.add(new RunningEntry(duration == FOR_EVER ? FOR_EVER : now + duration, starts.size(), now, task));
        starts.add(task.key);
    }

    /** Runs until {@code time}. Returns the permit time that was used meanwhile. */
    double runUntil(long time) {
        double used = 0;
        for (long next = nextEvent(); next <= time; next = nextEvent()) {
            used += (double) running.size() * (next - timer.nanoTime());
            if (timer.nextDue() <= next) {
                timer.advance(next - timer.nanoTime());
            } else {
                end();
            }
        }
        used += (double) running.size() * (time - timer.nanoTime());
        timer.advance(time - timer.nanoTime());
        return used;
    }

    private long nextEvent() {
        return Math.min(running.isEmpty() ? FOR_EVER : running.element().end, timer.nextDue());
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    /** Runs until {@code more} further tasks have started. */
    void run(int more) {
        for (int until = starts.size() + more; starts.size() < until; ) {
            end();
        }
    }

    /** Runs until only tasks that never complete are running. */
    void drain() {
        while (!running.isEmpty() && running.element().end < FOR_EVER) {
            end();
        }
    }

    private void end() {
        RunningEntry next = running.remove();
        timer.advance(next.end - timer.nanoTime());
        held.merge(next.task.key, next.end - next.start, Long::sum);
        next.task.finishTask(next.task.slot, "ran");
    }

    /** The number of starts of the group, beginning with start number {@code from}. */
    int startsOf(String key, int from) {
        return Collections.frequency(starts.subList(from, starts.size()), key);
    }

    /** How long the tasks of the group have held permits. */
    double timeOf(String key) {
        double time = held.getOrDefault(key, 0L);
        for (RunningEntry h : running) {
            time += h.task.key.equals(key) ? timer.nanoTime() - h.start : 0;
        }
        return time;
    }
}
