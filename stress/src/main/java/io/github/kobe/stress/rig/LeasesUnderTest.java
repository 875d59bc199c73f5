package io.github.kobe.stress.rig;

import io.github.kobe.internal.fair.WeightedRoundRobin;
import io.github.kobe.internal.kernel.Admission;
import io.github.kobe.internal.kernel.Dispatcher;
import io.github.kobe.internal.kernel.DispatcherConfig;
import io.github.kobe.internal.kernel.Group;
import io.github.kobe.internal.kernel.GroupLimits;
import io.github.kobe.internal.kernel.LeaseControl;
import io.github.kobe.internal.kernel.PermitLeases;
import io.github.kobe.internal.util.Faults;
import java.util.Objects;

/** The kernel with one group whose limit is leased, and the owner of the leases. The owner keeps the orders that {@link PermitLeases} asks for. */
public class LeasesUnderTest implements PermitLeases {

    private static final String GROUP = "g";
    private static final int LIMIT = 2;
    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final StepRunner runner = new StepRunner();
    private final LeaseControl control;
    private final Dispatcher dispatcher;
    private volatile int leased = 1;
    private volatile boolean valid = true;
    private volatile boolean awaits;
    private volatile boolean hinted;
    private int kept;
    private int known;

    /** @param globalLimit the limit of all groups; {@link Integer#MAX_VALUE} if there is none */
    @SuppressWarnings("this-escape")
    public LeasesUnderTest(int globalLimit) {
        ManualTimer timer = new ManualTimer();
        control = new LeaseControl(this, new Faults(timer::nanoTime));
        dispatcher = new Dispatcher(
                key -> new GroupLimits(LIMIT, LIMIT, UNLIMITED),
                new DispatcherConfig(globalLimit, UNLIMITED, Long.MAX_VALUE, false, false),
                new WeightedRoundRobin(),
                runner,
                timer,
                control);
    }

    /** Without a global limit. */
    public LeasesUnderTest() {
        this(UNLIMITED);
    }

    // ---- the kernel ------------------------------------------------------------------------------------------------

    /** Submits a task. */
    public final RecordingTask submit() {
        RecordingTask task = new RecordingTask();
        if (dispatcher.submit(GROUP, task) != Admission.ADMITTED) {
            throw new AssertionError("rejected");
        }
        return task;
    }

    /** The threads of the tasks. */
    public final StepRunner runner() {
        return runner;
    }

    /** The permits in use, and the queued tasks. */
    public final int occupancy() {
        Group group = Objects.requireNonNull(dispatcher.group(GROUP));
        return group.active() + group.queued();
    }

    // ---- the owner -------------------------------------------------------------------------------------------------

    /** Returns what is not in use. {@link #kept} is what it believes to keep. */
    public void lowerToZero() {
        writeLeased(0);
        kept = control.leasedChanged(GROUP);
    }

    /** How many permits it keeps after {@link #lowerToZero}. */
    public final int kept() {
        return kept;
    }

    protected final void setKept(int permits) {
        kept = permits;
    }

    protected final void writeLeased(int permits) {
        leased = permits;
    }

    /** Gets permits. */
    public final void lease(int permits) {
        writeLeased(permits);
        control.leasedChanged(GROUP);
    }

    /** The lease is over. The kernel does not know. */
    public final void end() {
        valid = false;
    }

    /** Tells the kernel that the lease is over. */
    public final void tellEnd() {
        control.lapsed();
    }

    /** The lease is valid again. */
    public void renew() {
        writeValid();
        control.renewed();
    }

    protected final void writeValid() {
        valid = true;
    }

    /** The store knows of the demand, so hints are not needed. */
    public final void await() {
        awaits = true;
    }

    /** The store has met the demand that it knew: reads the demand, and wants to be told of what comes later. */
    public void lookAgain() {
        stopAwaiting();
        readDemand();
    }

    protected final void stopAwaiting() {
        awaits = false;
    }

    protected final void readDemand() {
        control.visitDemand(GROUP, (key, limit, used, wanted) -> known = wanted);
    }

    /** Whether it knows that {@code permits} are wanted, or was told to look. */
    public final boolean learns(int permits) {
        return hinted || known >= permits;
    }

    protected final LeaseControl control() {
        return control;
    }

    // ---- what the kernel asks --------------------------------------------------------------------------------------

    @Override
    public final int leased(String key) {
        return leased;
    }

    @Override
    public final boolean mayStart(String key, long now) {
        return valid;
    }

    @Override
    public final void wanted(String key) {
        if (!awaits) {
            hinted = true;
        }
    }
}
