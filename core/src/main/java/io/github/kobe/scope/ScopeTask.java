package io.github.kobe.scope;

import io.github.kobe.TaskTimeoutException;
import io.github.kobe.internal.Durations;
import io.github.kobe.internal.Loaded;
import io.github.kobe.internal.Ousting;
import io.github.kobe.internal.Plan;
import io.github.kobe.internal.Runner;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** A task and its ticket, on its way to a thread, there, and at its end: one object, since there may be a great many that wait. */
sealed class ScopeTask<T> extends AwaitableTask<T> permits GroupedTask, Schedule.Run {

    static final int SUCCEEDED = 0;
    static final int FAILED = 1;
    static final int CANCELLED = 2;

    /** Tasks do not come thick, or it is timed anyway; else it is one of those that are timed for others, or of those others. */
    private static final byte FOR_ITSELF = 0;

    private static final byte FOR_OTHERS = 1;
    private static final byte BY_OTHERS = 2;

    static {
        Loaded.now(Wishes.class, Launch.class, Telling.class, HookCaller.class, Outbox.class);
        Loaded.now(ContextCarrier.Captured.class, ContextCarrier.Installed.class);
    }

    private final @Nullable Wishes wishes;
    private final ContextCarrier.@Nullable Captured captured;
    private final @Nullable Telling telling; // only if there is a hook to tell

    private volatile @Nullable Launch launch; // the last one, if its threads are not its own
    private volatile boolean placed;
    private byte timing; // for its thread
    private long begunAt; // if it has a launch

    ScopeTask(
            Crew crew,
            @Nullable String name,
            Callable<T> work,
            @Nullable Wishes wishes,
            ContextCarrier.@Nullable Captured captured) {
        super(crew, name, work);
        this.wishes = wishes;
        this.captured = captured;
        this.telling = crew.hooks() == null ? null : new Telling();
    }

    // ---- on the way to a thread ----------------------------------------------------------------------------------

    @Override
    protected @Nullable Plan plan() {
        return wishes == null ? null : wishes.plan;
    }

    /** Larger ones first. */
    final int rank() {
        return wishes == null ? 0 : wishes.plan.priority();
    }

    @Override
    protected boolean launch(Runner runner) {
        if (crew().isLimited()) { // else nobody waits for it
            placed = true;
            crew().placed(this);
        }
        if (ownsItsThreads()) {
            return super.launch(runner);
        }
        Launch fresh = new Launch(this, runner);
        launch = fresh;
        crew().sent(fresh);
        if (isDecided()) { // who ended it may have looked for a launch before there was one
            fresh.callOff();
        } else {
            Outbox.post(fresh);
        }
        return true;
    }

    /** Whether somebody has won the right to end it. */
    final boolean isEndDecided() {
        return isDecided();
    }

    /** Whether each of its threads is made for it, and ends with it. */
    boolean ownsItsThreads() {
        return crew().hasFreshThreads();
    }

    /** Its last launch was called off: what is left of it elsewhere may go. */
    void calledOff() {}

    /** Has {@code sent} run on a thread. */
    void send(Launch sent, Runner runner) {
        runner.start(sent);
    }

    @Override
    protected void interruptWork() {
        Launch last = launch;
        if (last == null) {
            super.interruptWork();
        } else {
            last.callOff();
        }
    }

    /**
     * A hook is code of users, and none of that is to run when the last place has come back. If it is plain nobody waits for its place, and
     * whoever sees the last one come back knows that all ends are known.
     */
    @Override
    protected boolean endsBeforeItLeaves() {
        return telling != null || crew().isPlain() || super.endsBeforeItLeaves();
    }

    /** Its place is still to come back. */
    @Override
    protected boolean isInAHurry() {
        return crew().isPlain() || super.isInAHurry();
    }

    /** Whether it has got a place, or will not. */
    final boolean isPlacedOrEnded() {
        return placed || isEnded();
    }

    final boolean isPlaced() {
        return placed;
    }

    /** The thread that it is on; a figure to look at. */
    final @Nullable Thread onThread() {
        return thread();
    }

    /** It is not to run, for a reason of the face's: no thread can be had. For one that has a place, and no thread yet. */
    final void refuse(End end) {
        endWith(end);
    }

    // ---- its work ------------------------------------------------------------------------------------------------

    @Override
    protected boolean workBegins() {
        if (begun) {
            return false;
        }
        begunAt = launch == null ? 0 : crew().now();
        begun = true;
        return true;
    }

    @Override
    protected Object execute() {
        Object work = workThenValue;
        if (work == null) {
            if (wishes == null || wishes.plan.failedAttempts() == 0) {
                crew().didNotBegin();
            }
            return End.SUCCESS; // it has just been cancelled, so nobody gets to see this
        }
        if (wishes == null) {
            workThenValue = null;
        }
        return ownsItsThreads() ? call(work) : callAside(work);
    }

    /** On a thread that has other work before and after, whose traces neither sees. */
    private End callAside(Object work) {
        Objects.requireNonNull(launch).worksHere();
        Object before = Whereabouts.enter(this);
        Outbox outbox = Outbox.hide();
        Map<String, Object> others = Context.setAside();
        try {
            return call(work);
        } finally {
            Outbox.restore(outbox);
            Context.install(others);
            Whereabouts.leave(before);
        }
    }

    private End call(Object work) {
        ContextCarrier.Installed installed = captured == null ? null : crew().install(captured, this);
        try {
            workThenValue = asWork(work).call();
            return End.SUCCESS;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return thrown(e);
        } catch (Throwable e) {
            return thrown(e);
        } finally {
            if (installed != null) {
                crew().restore(installed, this);
            }
        }
    }

    private static End thrown(Throwable fault) {
        if (fault instanceof InterruptedException || fault instanceof CancellationException) {
            return new End(State.CANCELLED, fault, "by its own work", End.ITS_OWN);
        }
        return End.failed(fault);
    }

    @SuppressWarnings("unchecked")
    private Callable<T> asWork(Object work) {
        return (Callable<T>) work;
    }

    @Override
    protected long retryDelay(Object result) {
        End end = (End) result;
        Throwable fault = end.error();
        if (wishes == null || fault == null) {
            return -1;
        }
        long delay = end.isFailure() && !Thread.currentThread().isInterrupted() ? delayAfter(wishes, fault) : -1;
        if (delay < 0) {
            wishes.plan.withEarlier(fault);
            letGo();
        } else {
            wishes.plan.remember(fault);
        }
        return delay;
    }

    private long delayAfter(Wishes own, Throwable fault) {
        try {
            return own.retry
                    .nextDelay(own.plan.failedAttempts() + 1, fault)
                    .map(Durations::saturatedNanos)
                    .orElse(-1L);
        } catch (Throwable its) {
            crew().faults().report("retry policy", this, its);
            return -1;
        }
    }

    @Override
    protected Object failed(Throwable fault) {
        return End.failed(fault);
    }

    @Override
    protected End cancelled(String why) {
        return new End(State.CANCELLED, null, why, nanosUpToNow());
    }

    /** It has no other budget than its timeout, and nobody takes its place in line. */
    @Override
    protected End ousted(Ousting why) {
        Wishes own = Objects.requireNonNull(wishes);
        Duration budget = Objects.requireNonNull(own.timeout);
        long ran = nanosUpToNow();
        Duration waited = budget.minusNanos(ran).isNegative() ? Duration.ZERO : budget.minusNanos(ran);
        TaskTimeoutException error =
                new TaskTimeoutException(budgetOwner(), name(), "", budget, waited, Duration.ofNanos(ran));
        return new End(State.FAILED, own.plan.withEarlier(error), "", ran);
    }

    /** Whom a message names that it has run out of time. */
    String budgetOwner() {
        return crew().scopeId();
    }

    @Override
    protected void letGo() {
        workThenValue = null;
    }

    @Override
    protected int tallySlot(Object result) {
        return switch (((End) result).state()) {
            case SUCCESS -> SUCCEEDED;
            case FAILED -> FAILED;
            default -> CANCELLED;
        };
    }

    @Override
    protected void count(Object result, int number) {
        if (number < 0) { // in the opposite order: whoever finds the end not counted finds none of it counted
            countTime((End) result, number);
            super.count(result, number);
        } else {
            super.count(result, number);
            countTime((End) result, number);
        }
    }

    /** Of an end of its own this is its thread, which has set {@code timing}; others have looked at the clock for their end. */
    private void countTime(End end, int number) {
        long nanos = nanos(end);
        boolean forItself = timing == FOR_ITSELF || end.nanos() != End.ITS_OWN;
        long total = forItself ? nanos : Glance.weighted(nanos, timing == FOR_OTHERS);
        crew().took(number * total, nanos);
    }

    @Override
    protected void known() {
        crew().ended(this);
    }

    // ---- for hooks -----------------------------------------------------------------------------------------------

    @Override
    protected boolean isObserved() {
        return telling != null;
    }

    @Override
    protected boolean announceStart(Runnable takeOver) {
        return crew().hooks() == null || crew().hooks().started(this, takeOver);
    }

    @Override
    protected void announceEnd(End end) {
        telling().end(() -> tellEnd(end));
    }

    private void tellEnd(End end) {
        HookCaller hooks = crew().hooks();
        if (hooks == null || hooks.ended(this, end, Duration.ofNanos(nanos(end)), () -> complete(end))) {
            complete(end);
        }
    }

    /** If there is a hook. */
    final Telling telling() {
        return Objects.requireNonNull(telling);
    }

    TaskInfo info() {
        return new TaskInfo(crew().scopeId(), id(), name(), telling().createdAt, crew().schedulerName());
    }

    // ---- times ---------------------------------------------------------------------------------------------------

    /** If tasks come thick, what was seen last; but a budget runs from the start, so then it looks. */
    @Override
    protected long startTime() {
        Glance glance = crew().glance();
        long last = glance == null || wishes != null ? 0 : glance.last();
        if (glance == null || last == 0) {
            return super.startTime();
        }
        timing = Glance.isTimed(id()) ? FOR_OTHERS : BY_OTHERS;
        return timing == FOR_OTHERS ? glance.look() : last;
    }

    /** One that does not succeed is looked at by somebody, so it looks itself. */
    @Override
    protected long endTime(@Nullable Object result) {
        Glance glance = crew().glance();
        boolean succeeds = result instanceof End end && end.isSuccess();
        if (glance == null || timing == FOR_ITSELF || !succeeds) {
            return super.endTime(result);
        }
        return timing == FOR_OTHERS ? glance.look() : glance.lookIfLong(startedAt());
    }

    /** When it first began to run; 0 if it has not. */
    private long firstStart() {
        if (!begun || launch != null) {
            return begun ? begunAt : 0;
        }
        long first = wishes == null ? 0 : wishes.plan.firstStartedAt();
        return first == 0 ? startedAt() : first;
    }

    /** How long it has taken so far; 0 if it has not begun. */
    final long nanosUpToNow() {
        long start = firstStart();
        return start == 0 ? 0 : Math.max(0, crew().now() - start);
    }

    /** How long it took, or has taken so far; 0 if it never began. */
    final long nanosSpent() {
        End end = endOrNull();
        return end == null ? nanosUpToNow() : nanos(end);
    }

    private long nanos(End end) {
        if (end.nanos() != End.ITS_OWN) {
            return end.nanos();
        }
        long start = firstStart();
        return start == 0 ? 0 : Math.max(0, endedAt() - start);
    }
}
