package io.github.kobe.internal.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.time.FakeTimer;
import io.github.kobe.internal.time.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A dispatcher turned by hand, and tickets with budgets. */
abstract class DeadlineMonitorTestBase {

    static final int NO_CAP = Integer.MAX_VALUE;
    static final long FOR_EVER = Long.MAX_VALUE;
    static final long NONE = AttemptLimits.NONE;

    final FakeTimer timer = new FakeTimer();
    private final Deque<TimedTask> started = new ArrayDeque<>();

    /** A ticket that is begun and ended by the test. */
    static class TimedTask extends KernelTask<String> {
        private final AttemptState plan;
        int place;
        long retryIn = -1;

        TimedTask(long maxQueue, long timeout) {
            plan = new AttemptState(0, maxQueue, timeout, false);
        }

        @Override
        protected AttemptState attempts() {
            return plan;
        }

        @Override
        protected long retryDelay(Object result) {
            return retryIn;
        }

        @Override
        protected Object execute() {
            throw new AssertionError("the test does the work");
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

        String end() {
            return isCompleted() ? completion().join() : "not ended";
        }
    }

    final Dispatcher dispatcher(int cap, long ttl, int crowd) {
        return dispatcher(cap, ttl, crowd, timer);
    }

    final Dispatcher dispatcher(int cap, long ttl, int crowd, Timer clock) {
        timer.advance(1); // from 0, which would be no time at all
        return new Dispatcher(
                key -> new GroupLimits(cap, NO_CAP, NO_CAP),
                new DispatcherConfig(NO_CAP, NO_CAP, ttl, false, false, DispatcherConfig.NO_AGEING, false, crowd),
                new WeightedRoundRobin(),
                work -> started.add((TimedTask) work),
                clock);
    }

    final TimedTask submit(Dispatcher dispatcher, long maxQueue, long timeout) {
        return submit(dispatcher, new TimedTask(maxQueue, timeout));
    }

    final TimedTask submit(Dispatcher dispatcher, TimedTask ticket) {
        assertThat(dispatcher.submit("g", ticket)).isEqualTo(Admission.ADMITTED);
        return ticket;
    }

    final TimedTask begun(Dispatcher dispatcher, long timeout) {
        return begun(dispatcher, new TimedTask(NONE, timeout));
    }

    final TimedTask begun(Dispatcher dispatcher, TimedTask ticket) {
        submit(dispatcher, ticket);
        return beginNext();
    }

    final TimedTask beginNext() {
        TimedTask ticket = started.remove();
        ticket.place = ticket.register();
        if (ticket.startedAt == 0) {
            ticket.startedAt = timer.nanoTime();
        }
        ticket.begin();
        return ticket;
    }

    static void end(TimedTask ticket) {
        ticket.finishTask(ticket.place, ticket.isDecided() ? null : "ran");
        Thread.interrupted(); // its thread is ours
    }

    static Group group(Dispatcher dispatcher) {
        return dispatcher.groups().iterator().next();
    }

    static List<KernelTask<?>> inRunningSet(Dispatcher dispatcher) {
        List<KernelTask<?>> all = new ArrayList<>();
        group(dispatcher).running().forEach(all::add);
        return all;
    }
}
