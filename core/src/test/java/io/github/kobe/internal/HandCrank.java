package io.github.kobe.internal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;

/** A dispatcher whose threads are started and ended by a test, one at a time. */
final class HandCrank implements Runner {

    final FakeTimer timer = new FakeTimer();
    final Dispatcher dispatcher;
    private final Deque<SimTicket> started = new ArrayDeque<>();
    private int number;

    HandCrank(int cap, int globalCap, long ttl) {
        this(key -> new Limits(cap, Integer.MAX_VALUE, Integer.MAX_VALUE), globalCap, ttl);
    }

    HandCrank(Function<String, Limits> limits, int globalCap, long ttl) {
        this(limits, new Setup(globalCap, Integer.MAX_VALUE, ttl, false, false));
    }

    HandCrank(Function<String, Limits> limits, Setup setup) {
        dispatcher = new Dispatcher(limits, setup, new Turns(), this, timer);
    }

    @Override
    public void start(Runnable work) {
        for (Group group : dispatcher.groups()) {
            if (Thread.holdsLock(group)) {
                throw new AssertionError("called under the monitor of " + group.key());
            }
        }
        if (work instanceof SimTicket ticket) {
            ticket.place = ticket.arrive();
            started.add(ticket);
        } else {
            work.run();
        }
    }

    SimTicket submit(String key) {
        SimTicket ticket = new SimTicket(key, number++, SimTicket.Watched.NOT_AT_ALL);
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

    SimTicket newest() {
        return started.getLast();
    }

    boolean runs(SimTicket ticket) {
        return started.contains(ticket);
    }

    /** The oldest one's work is done. */
    SimTicket finishOldest() {
        return finish(started.getFirst());
    }

    SimTicket finish(SimTicket ticket) {
        started.remove(ticket);
        ticket.leave(ticket.place, ticket.isDecided() ? null : "ran");
        return ticket;
    }
}
