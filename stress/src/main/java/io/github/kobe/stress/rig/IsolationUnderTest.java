package io.github.kobe.stress.rig;

import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.isolation.IsolationQueueAccess;
import java.util.Set;

/**
 * The kernel with the ready queue of the isolation face, threads and time turned by hand. No place is held back from the groups
 * {@code g} and {@code h}, and no patrol comes by: what is in line while a place is free was forgotten.
 */
public final class IsolationUnderTest implements SchedulerUnderTest {

    private static final int NO_LIMIT = Integer.MAX_VALUE - 1;
    private static final GroupLimits LIMITS = new GroupLimits(NO_LIMIT, NO_LIMIT, NO_LIMIT, 1, false);

    private final StepRunner crank = new StepRunner();
    private final IsolationQueueAccess tenants;
    private final Dispatcher dispatcher;
    private final int places;

    /** @param places how many may run at once */
    public IsolationUnderTest(int places) {
        ManualTimer timer = new ManualTimer();
        this.places = places;
        this.tenants = new IsolationQueueAccess(places, Set.of("g", "h"), timer);
        this.dispatcher =
                new Dispatcher(key -> LIMITS, places, NO_LIMIT, Long.MAX_VALUE, tenants.queue(), crank, timer);
    }

    @Override
    public StepRunner crank() {
        return crank;
    }

    @Override
    public boolean submit(String group, RecordingTask job) {
        return dispatcher.submit(group, job) == Admission.ADMITTED;
    }

    @Override
    public void look() {
        tenants.look();
    }

    @Override
    public int held() {
        int held = Math.max(0, dispatcher.globalInFlight());
        for (Group group : dispatcher.groups()) {
            held += group.active() + group.queued();
        }
        return held;
    }

    /** A place that leaked, either way, shows in how many start of more than there is room for. */
    @Override
    public int damage() {
        for (int i = 0; i <= places; i++) {
            submit(i % 2 == 0 ? "g" : "h", new RecordingTask());
        }
        int damage = Math.abs(crank.waiting() - places);
        crank.turn();
        return damage + held();
    }
}
