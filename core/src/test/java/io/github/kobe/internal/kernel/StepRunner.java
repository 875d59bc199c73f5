package io.github.kobe.internal.kernel;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;

/** A dispatcher whose threads are started and ended by a test, one at a time. */
final class StepRunner implements TaskRunner {

    final FakeTimer timer = new FakeTimer();
    final Dispatcher dispatcher;
    private final Deque<SimulatedTask> started = new ArrayDeque<>();
    private int number;

    StepRunner(int cap, int globalCap, long ttl) {
        this(key -> new GroupLimits(cap, Integer.MAX_VALUE, Integer.MAX_VALUE), globalCap, ttl);
    }

    StepRunner(Function<String, GroupLimits> limits, int globalCap, long ttl) {
        this(limits, new DispatcherConfig(globalCap, Integer.MAX_VALUE, ttl, false, false));
    }

    StepRunner(Function<String, GroupLimits> limits, DispatcherConfig setup) {
        dispatcher = new Dispatcher(limits, setup, new WeightedRoundRobin(), this, timer);
    }

    @Override
    public void start(Runnable work) {
        for (Group group : dispatcher.groups()) {
            if (Thread.holdsLock(group)) {
                throw new AssertionError("called under the monitor of " + group.key());
            }
        }
        if (work instanceof SimulatedTask ticket) {
            ticket.place = ticket.register();
            started.add(ticket);
        } else {
            work.run();
        }
    }

    SimulatedTask submit(String key) {
        SimulatedTask ticket = new SimulatedTask(key, number++, SimulatedTask.CompletionListening.NOT_AT_ALL);
        Admission admission = dispatcher.submit(key, ticket);
        if (admission != Admission.ADMITTED) {
            throw new AssertionError(admission);
        }
        return ticket;
    }

    /** How many have a place. */
    int running() {
        return started.size();
    }

    SimulatedTask newest() {
        return started.getLast();
    }

    boolean runs(SimulatedTask ticket) {
        return started.contains(ticket);
    }

    /** The oldest one's work is done. */
    SimulatedTask finishOldest() {
        return finish(started.getFirst());
    }

    SimulatedTask finish(SimulatedTask ticket) {
        started.remove(ticket);
        ticket.finishTask(ticket.place, ticket.isDecided() ? null : "ran");
        return ticket;
    }
}
