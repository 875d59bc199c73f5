package io.github.kobe.scope;

import io.github.kobe.TaskTimeoutException;
import io.github.kobe.internal.kernel.AttemptState;
import io.github.kobe.internal.kernel.TaskRunner;
import io.github.kobe.internal.kernel.TerminationCause;
import io.github.kobe.internal.util.ClassPreloader;
import io.github.kobe.internal.util.Durations;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** A task and its ticket, on its way to a thread, there, and at its end: one object, since there may be a great many that wait. */
sealed class ScopeTaskImpl<T> extends TimedTask<T> permits GroupedScopeTask, ScheduledTaskImpl.Run {

    static final int SUCCEEDED = 0;
    static final int FAILED = 1;
    static final int CANCELLED = 2;

    static {
        ClassPreloader.load(
                TaskSettings.class, Handoff.class, HookProgress.class, HookNotifier.class, HandoffQueue.class);
        ClassPreloader.load(ContextCarrier.Captured.class, ContextCarrier.Installed.class);
    }

    private final ContextCarrier.@Nullable Captured captured;
    private final @Nullable HookProgress telling; // only if there is a hook to tell

    private volatile @Nullable Handoff launch; // the last one, if its threads are not its own
    private volatile boolean placed;

    ScopeTaskImpl(
            ScopeTasks crew,
            @Nullable String name,
            Callable<T> work,
            @Nullable TaskSettings wishes,
            ContextCarrier.@Nullable Captured captured) {
        super(crew, name, work, wishes);
        this.captured = captured;
        this.telling = crew.hooks() == null ? null : new HookProgress();
    }

    // ---- on the way to a thread ----------------------------------------------------------------------------------

    @Override
    protected @Nullable AttemptState attempts() {
        return wishes == null ? null : wishes.plan;
    }

    /** Larger ones first. */
    final int rank() {
        return wishes == null ? 0 : wishes.plan.priority();
    }

    @Override
    protected boolean launch(TaskRunner runner) {
        if (crew().isLimited()) { // else nobody waits for it
            placed = true;
            crew().placed(this);
        }
        if (ownsItsThreads()) {
            return super.launch(runner);
        }
        Handoff fresh = new Handoff(this, runner);
        launch = fresh;
        crew().sent(fresh);
        if (isDecided()) { // who ended it may have looked for a launch before there was one
            fresh.callOff();
        } else {
            HandoffQueue.post(fresh);
        }
        return true;
    }

    /** Whether somebody has won the right to end it. */
    final boolean isEndDecided() {
        return isDecided();
    }

    @Override
    final boolean isSent() {
        return launch != null;
    }

    /** Whether each of its threads is made for it, and ends with it. */
    boolean ownsItsThreads() {
        return crew().hasFreshThreads();
    }

    /** Its last launch was called off: what is left of it elsewhere may go. */
    void calledOff() {}

    /** Has {@code sent} run on a thread. */
    void send(Handoff sent, TaskRunner runner) {
        runner.start(sent);
    }

    @Override
    protected void interruptWork() {
        Handoff last = launch;
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
    protected boolean completesBeforeRelease() {
        return telling != null || crew().isPlain() || super.completesBeforeRelease();
    }

    /** Its place may still have to come back, and code that hangs on it may wait for that. */
    @Override
    protected boolean defersUserCode() {
        return completesBeforeRelease() || super.defersUserCode();
    }

    /** Whether it has got a place, or will not. */
    final boolean isPlacedOrEnded() {
        return placed || isCompleted();
    }

    final boolean isPlaced() {
        return placed;
    }

    /** The thread that it is on; a figure to look at. */
    final @Nullable Thread onThread() {
        return thread();
    }

    /** It is not to run, for a reason of the face's: no thread can be had. For one that has a place, and no thread yet. */
    final void refuse(TaskCompletion end) {
        completeUnadmitted(end);
    }

    // ---- its work ------------------------------------------------------------------------------------------------

    @Override
    protected Object execute() {
        Object work = workThenValue;
        if (work == null) {
            return TaskCompletion.SUCCESS; // it has just been cancelled, so this result is discarded
        }
        begins();
        if (wishes == null) {
            workThenValue = null;
        }
        return ownsItsThreads() ? call(work) : callAside(work);
    }

    /** On a thread that has other work before and after, whose traces neither sees. */
    private TaskCompletion callAside(Object work) {
        Objects.requireNonNull(launch).worksHere();
        Object before = CurrentScope.enter(this);
        HandoffQueue outbox = HandoffQueue.hide();
        Map<String, Object> others = Context.setAside();
        try {
            return call(work);
        } finally {
            HandoffQueue.restore(outbox);
            Context.install(others);
            CurrentScope.leave(before);
        }
    }

    private TaskCompletion call(Object work) {
        ContextCarrier.Installed installed = captured == null ? null : crew().install(captured, this);
        try {
            workThenValue = asWork(work).call();
            return TaskCompletion.SUCCESS;
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

    private static TaskCompletion thrown(Throwable fault) {
        if (fault instanceof InterruptedException || fault instanceof CancellationException) {
            return new TaskCompletion(State.CANCELLED, fault, "by its own work", TaskCompletion.ITS_OWN);
        }
        return TaskCompletion.failed(fault);
    }

    @SuppressWarnings("unchecked")
    private Callable<T> asWork(Object work) {
        return (Callable<T>) work;
    }

    @Override
    protected long retryDelay(Object result) {
        TaskCompletion end = (TaskCompletion) result;
        Throwable fault = end.error();
        if (wishes == null || fault == null) {
            return -1;
        }
        long delay = end.isFailure() && !Thread.currentThread().isInterrupted() ? delayAfter(wishes, fault) : -1;
        if (delay < 0) {
            wishes.plan.withEarlierFailures(fault);
            dropWork();
        } else {
            wishes.plan.addFailure(fault);
        }
        return delay;
    }

    private long delayAfter(TaskSettings own, Throwable fault) {
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
        return TaskCompletion.failed(fault);
    }

    @Override
    protected TaskCompletion cancelled(String why) {
        return new TaskCompletion(State.CANCELLED, null, why, nanosUpToNow());
    }

    /** It has no other budget than its timeout, and nobody takes its place in line. */
    @Override
    protected TaskCompletion terminated(TerminationCause why) {
        TaskSettings own = Objects.requireNonNull(wishes);
        Duration budget = Objects.requireNonNull(own.timeout);
        long ran = nanosUpToNow();
        Duration waited = budget.minusNanos(ran).isNegative() ? Duration.ZERO : budget.minusNanos(ran);
        TaskTimeoutException error =
                new TaskTimeoutException(budgetOwner(), name(), "", budget, waited, Duration.ofNanos(ran));
        return new TaskCompletion(State.FAILED, own.plan.withEarlierFailures(error), "", ran);
    }

    /** Whom a message names that it has run out of time. */
    String budgetOwner() {
        return crew().scopeId();
    }

    @Override
    protected void dropWork() {
        workThenValue = null;
    }

    @Override
    protected int counterSlot(Object result) {
        return switch (((TaskCompletion) result).state()) {
            case SUCCESS -> SUCCEEDED;
            case FAILED -> FAILED;
            default -> CANCELLED;
        };
    }

    /** One that was never let in is not the scope's. */
    @Override
    protected void countOutcome(Object result, int number) {
        if (id() == 0) {
            return;
        }
        if (number < 0) { // in the opposite order: whoever finds the end not counted finds none of it counted
            countTime((TaskCompletion) result, number);
            super.countOutcome(result, number);
        } else {
            super.countOutcome(result, number);
            countTime((TaskCompletion) result, number);
        }
    }

    @Override
    protected void onPublished() {
        if (id() != 0) {
            crew().ended(this);
        }
    }

    // ---- for hooks -----------------------------------------------------------------------------------------------

    @Override
    protected boolean hasListeners() {
        return telling != null;
    }

    @Override
    protected boolean notifyStarted(Runnable takeOver) {
        return crew().hooks() == null || crew().hooks().started(this, takeOver);
    }

    @Override
    protected void notifyCompleted(TaskCompletion end) {
        telling().end(() -> tellEnd(end));
    }

    private void tellEnd(TaskCompletion end) {
        HookNotifier hooks = crew().hooks();
        if (hooks == null || hooks.ended(this, end, Duration.ofNanos(nanos(end)), () -> publishResult(end))) {
            publishResult(end);
        }
    }

    /** Does {@code code}, which is told of the task, with what the task carries, and nothing else that is carried, in place. */
    final void inContext(Runnable code) {
        Map<String, Object> others = Context.setAside();
        ContextCarrier.Installed installed = captured == null ? null : crew().install(captured, this);
        try {
            code.run();
        } finally {
            if (installed != null) {
                crew().restore(installed, this);
            }
            Context.install(others);
        }
    }

    /** If there is a hook. */
    final HookProgress telling() {
        return Objects.requireNonNull(telling);
    }

    TaskInfo info() {
        return new TaskInfo(crew().scopeId(), id(), name(), telling().createdAt, crew().schedulerName());
    }
}
