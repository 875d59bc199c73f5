package io.github.kobe.internal.kernel;

import org.jspecify.annotations.Nullable;

/** A task that the simulation steps from phase to phase. */
final class SimulatedTask extends KernelTask<String> {

    /** The phase of the task, as the model sees it. */
    enum Phase {
        SUBMITTING,
        QUEUED,
        STARTING,
        RUNNING,
        /** Its work waits for another task; its permit may be lent. */
        WAITING,
        /** Without a permit. */
        AWAITING_RETRY,
        /** With its permit. */
        AWAITING_RETRY_WITH_PERMIT,
        REJECTED,
        GONE
    }

    /** How its completion is observed. The kernel takes a different path for each. */
    enum CompletionListening {
        NONE,
        WAITER,
        LISTENER
    }

    /**
     * The options of a task, for the model. The kernel gets them as an {@link AttemptState}.
     *
     * @param retries the number of attempts after the first
     */
    record Options(
            int priority, long maxQueueTime, long timeout, int retries, long delay, boolean keepsPermit, int cost) {
        static final Options NONE = new Options(0, AttemptLimits.NONE, AttemptLimits.NONE, 0, 0, false, 1);

        Options(int priority, long maxQueueTime, long timeout, int retries, long delay, boolean keepsPermit) {
            this(priority, maxQueueTime, timeout, retries, delay, keepsPermit, 1);
        }

        Options withCost(int permits) {
            return new Options(priority, maxQueueTime, timeout, retries, delay, keepsPermit, permits);
        }
    }

    final String key;
    final int number;
    final CompletionListening listening;
    final Options options;
    private final @Nullable AttemptState attemptState;
    private final @Nullable ReferenceModel model;

    private Phase phase = Phase.SUBMITTING;
    int slot;
    private int retriesLeft;
    private int notifications;
    private @Nullable String firstOutcome;
    boolean notifiesTwice;
    boolean throwsError;
    int submittedAt;
    int admittedAt = Integer.MAX_VALUE;
    long queuedAt;
    long firstStartAt = -1;

    /** Whether it was ever started on a permit that was lent. */
    boolean hasBorrowed;

    /** While it is WAITING. */
    @Nullable
    BlockedWait wait;

    /** The permit request that this task represents in the model, or {@code null}. */
    @Nullable
    PermitRequest caller;

    SimulatedTask(String key, int number, CompletionListening listening) {
        this(key, number, listening, Options.NONE, null, null);
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    SimulatedTask(
            String key,
            int number,
            CompletionListening listening,
            Options options,
            @Nullable AttemptState attemptState,
            @Nullable ReferenceModel model) {
        this.key = key;
        this.number = number;
        this.listening = listening;
        this.options = options;
        this.attemptState = attemptState;
        this.model = model;
        this.retriesLeft = options.retries;
        if (listening == CompletionListening.WAITER) {
            completion().whenComplete((result, fault) -> notifications++);
        }
    }

    /** The phase of the task. What the timer did meanwhile is read from the kernel and recorded here. */
    Phase phase() {
        boolean over = caller == null ? isDecided() : caller.isDecided();
        if (phase == Phase.AWAITING_RETRY_WITH_PERMIT && !isAwaitingRetry()) {
            phase = Phase.GONE; // it is completed, its next attempt is about to start, or it is about to be queued
        }
        if (phase == Phase.GONE && caller == null && options.keepsPermit && !over && !isWithdrawn()) {
            phase = Phase.QUEUED; // its lease was over, so it has given its permit back
            admittedAt = model().tick();
        } else if ((phase == Phase.AWAITING_RETRY || phase == Phase.QUEUED) && over) {
            phase = Phase.GONE;
        } else if (phase == Phase.AWAITING_RETRY && isAwaitingRetry()) {
            submittedAt = model().tick();
        } else if (phase == Phase.AWAITING_RETRY && !isWithdrawn()) {
            phase = Phase.QUEUED; // it was enqueued at some time since the last call
            admittedAt = model().tick();
        }
        return phase;
    }

    void move(Phase to) {
        phase = to;
    }

    /** How many outcomes were observed. */
    int outcomeCount() {
        if (caller != null) {
            return caller.isCompleted() ? 1 : 0;
        }
        if (isCompleted()) {
            String now = completion().join();
            firstOutcome = firstOutcome == null ? now : firstOutcome;
            return listening == CompletionListening.NONE ? (now.equals(firstOutcome) ? 1 : 2) : notifications;
        }
        return notifications;
    }

    boolean hasRetries() {
        return retriesLeft > 0;
    }

    boolean hasFailedBefore() {
        return retriesLeft < options.retries;
    }

    @Override
    protected @Nullable AttemptState attempts() {
        return attemptState;
    }

    @Override
    protected String execute() {
        if (throwsError) {
            throw new AssertionError("thrown by task " + number);
        }
        return "ran";
    }

    /** Also records in the model that the task awaits its retry, before its permit is released. */
    @Override
    protected long retryDelay(Object result) {
        if (result.equals("ran") || retriesLeft == 0) {
            return -1;
        }
        retriesLeft--;
        phase = options.keepsPermit ? Phase.AWAITING_RETRY_WITH_PERMIT : Phase.AWAITING_RETRY;
        submittedAt = model().tick();
        return options.delay;
    }

    @Override
    protected String failed(Throwable fault) {
        return "failed: " + fault.getMessage();
    }

    @Override
    protected String cancelled(String why) {
        return "cancelled: " + why;
    }

    @Override
    protected String terminated(TerminationCause why) {
        if (model != null) {
            model.terminated(this, why);
        }
        return why.name();
    }

    @Override
    protected boolean hasListeners() {
        return listening == CompletionListening.LISTENER;
    }

    @Override
    protected boolean notifiesBeforeRelease() {
        return true;
    }

    @Override
    protected boolean tellListeners(String result, int slot) {
        notifications += notifiesTwice ? 2 : 1;
        if (number % 5 == 0) { // the listener does not return until another thread has continued
            continueWithout(Thread.currentThread(), result, slot);
            return false;
        }
        return true;
    }

    /**
     * Whether it must start before another task of its group: it has a higher priority, or its submit returned before the other's
     * began.
     */
    boolean startsBefore(SimulatedTask other) {
        return options.priority > other.options.priority
                || (hasSamePriorityAs(other) && admittedAt < other.submittedAt);
    }

    boolean hasSamePriorityAs(SimulatedTask other) {
        return options.priority == other.options.priority;
    }

    boolean holdsPermit() {
        Phase now = phase();
        return now == Phase.STARTING
                || now == Phase.RUNNING
                || now == Phase.WAITING
                || now == Phase.AWAITING_RETRY_WITH_PERMIT;
    }

    /** @param ofGroup whether the permit of its group must be lent too */
    boolean hasLent(boolean ofGroup) {
        return phase == Phase.WAITING && wait != null && wait.hasLent(ofGroup);
    }

    /** The key of the group that it has lent permits to; {@code null} if it has lent none. */
    @Nullable
    String lentTo() {
        Group borrower = phase == Phase.WAITING && wait != null ? wait.lentTo() : null;
        return borrower == null ? null : borrower.key();
    }

    /** What the kernel knows it as. */
    KernelTask<?> real() {
        return caller == null ? this : caller;
    }

    boolean isBorrowing() {
        Lending lending = real().home().dispatcher.lendingOrNull();
        return lending != null && lending.sourceOf(real()) != null;
    }

    private ReferenceModel model() {
        return java.util.Objects.requireNonNull(model);
    }

    @Override
    public String toString() {
        return "#" + number + " of " + key + " (" + phase + ")";
    }
}
