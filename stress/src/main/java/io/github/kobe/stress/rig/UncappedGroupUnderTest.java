package io.github.kobe.stress.rig;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.kernel.StandaloneGroup;
import io.github.kobe.internal.time.TimerEntry;

/** An enclosure without a limit, its threads and its time turned by hand. All groups are one. */
public final class UncappedGroupUnderTest implements SchedulerUnderTest {

    private static final int SOME = 3;

    private final StepRunner crank = new StepRunner();
    private final ManualTimer timer = new ManualTimer();
    private final StandaloneGroup enclosure = StandaloneGroup.of(
            "all",
            Integer.MAX_VALUE,
            new Dispatcher(
                    key -> new GroupLimits(1, 1, 1), 1, 1, Long.MAX_VALUE, new WeightedRoundRobin(), crank, timer));

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        return enclosure.submit(job);
    }

    @Override
    public int held() {
        return Math.toIntExact(enclosure.taskCount());
    }

    /** Whatever comes is started, and leaves; a count that leaked, or a timeout that nobody took back, shows. It is over then. */
    @Override
    public int damage() {
        int damage = held() + timer.pending();
        for (int i = 0; i < SOME; i++) {
            submit("all", new RecordingTask());
        }
        damage += Math.abs(crank.waiting() - SOME);
        close();
        damage += isTerminated() ? 1 : 0;
        crank.turn();
        return damage + held() + (isTerminated() ? 0 : 1);
    }

    @Override
    public boolean cancel(RecordingTask job) {
        return job.cancelTicket();
    }

    @Override
    public void stop(String group) {
        enclosure.stopAll("by the race");
    }

    @Override
    public Runnable due(TimerEvent kind) {
        TimerEntry timeout = timer.take(kind);
        return timeout == null ? null : timeout::fire;
    }

    @Override
    public void close() {
        enclosure.shut();
    }

    @Override
    public boolean isTerminated() {
        return enclosure.isTerminated();
    }
}
