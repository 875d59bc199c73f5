package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.ReadyQueue;
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

/** A dispatcher on simulated places: each ticket holds its place for as long as its group's tickets do, and time is made of that. */
final class Workload implements TaskRunner {

    static final long FOR_EVER = Long.MAX_VALUE;

    private record RunningEntry(long end, int sequence, long start, SimulatedTask ticket) {}

    /** The group of every start, in order. */
    final List<String> starts = new ArrayList<>();

    final FakeTimer timer = new FakeTimer();
    private final Dispatcher dispatcher;
    private final Map<String, LongSupplier> durations = new HashMap<>();
    private final Map<String, Long> held = new HashMap<>();
    private final PriorityQueue<RunningEntry> running =
            new PriorityQueue<>(Comparator.comparingLong(RunningEntry::end).thenComparingInt(RunningEntry::sequence));

    Workload(Function<Timer, ReadyQueue> strategy, int limit, int globalCap) {
        timer.advance(1); // 0 stands for "has not started"
        GroupLimits limits = new GroupLimits(limit, limit, Integer.MAX_VALUE);
        dispatcher = new Dispatcher(
                key -> limits, globalCap, Integer.MAX_VALUE, Long.MAX_VALUE, strategy.apply(timer), this, timer);
    }

    void submit(String key, int tickets, long duration) {
        submit(key, tickets, () -> duration);
    }

    void submit(String key, int tickets, LongSupplier duration) {
        durations.put(key, duration);
        for (int i = 0; i < tickets; i++) {
            SimulatedTask ticket = new SimulatedTask(key, i, SimulatedTask.CompletionListening.NOT_AT_ALL);
            if (dispatcher.submit(key, ticket) != Admission.ADMITTED) {
                throw new AssertionError("not admitted: " + ticket);
            }
        }
    }

    void weigh(String key, int weight) {
        group(key).fairnessState().setWeight(weight);
    }

    /** Only of a group that has been used. */
    Group group(String key) {
        Group group = dispatcher.group(key);
        if (group == null) {
            throw new AssertionError("no group " + key);
        }
        return group;
    }

    void globalCap(int cap) {
        dispatcher.setGlobalLimit(cap);
    }

    @Override
    public void start(Runnable work) {
        SimulatedTask ticket = (SimulatedTask) work;
        ticket.place = ticket.register();
        long duration = durations.get(ticket.key).getAsLong();
        long now = timer.nanoTime();
        running.add(new RunningEntry(duration == FOR_EVER ? FOR_EVER : now + duration, starts.size(), now, ticket));
        starts.add(ticket.key);
    }

    /** Goes on until there were so many starts more. */
    void run(int more) {
        for (int until = starts.size() + more; starts.size() < until; ) {
            end();
        }
    }

    /** Goes on until nothing runs but what never ends. */
    void drain() {
        while (!running.isEmpty() && running.element().end < FOR_EVER) {
            end();
        }
    }

    private void end() {
        RunningEntry next = running.remove();
        timer.advance(next.end - timer.nanoTime());
        held.merge(next.ticket.key, next.end - next.start, Long::sum);
        next.ticket.finishTask(next.ticket.place, "ran");
    }

    /** How many starts the group had, from that of number {@code from} on. */
    int startsOf(String key, int from) {
        return Collections.frequency(starts.subList(from, starts.size()), key);
    }

    /** How long the group's tickets have held places. */
    double timeOf(String key) {
        double time = held.getOrDefault(key, 0L);
        for (RunningEntry h : running) {
            time += h.ticket.key.equals(key) ? timer.nanoTime() - h.start : 0;
        }
        return time;
    }
}
