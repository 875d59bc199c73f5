package io.github.kobe.internal.kernel;

import org.jspecify.annotations.Nullable;

/** A ticket that the simulation moves along by hand. */
final class SimulatedTask extends KernelTask<String> {

    /** Where the model believes it to be. */
    enum Phase {
        ASKING,
        WAITING,
        STARTING,
        RUNNING,
        /** Between two attempts, without a place. */
        DELAYED,
        /** Between two attempts, with its place. */
        KEEPING,
        REFUSED,
        GONE
    }

    /** How its end is watched for: the kernel goes different ways for each. */
    enum CompletionListening {
        NOT_AT_ALL,
        BY_A_WAITER,
        BY_AN_OBSERVER
    }

    /**
     * What it wishes for, in the model's words; the kernel is told by a {@link AttemptState}.
     *
     * @param retries how many more attempts it has
     */
    record Options(int priority, long maxQueue, long timeout, int retries, long delay, boolean keepsPlace) {
        static final Options NONE = new Options(0, AttemptState.NONE, AttemptState.NONE, 0, 0, false);
    }

    final String key;
    final int number;
    final CompletionListening watched;
    final Options wishes;
    private final @Nullable AttemptState plan;
    private final @Nullable ReferenceModel model;

    private Phase where = Phase.ASKING;
    int place;
    private int retriesLeft;
    private int timesTold;
    private @Nullable String firstEnd;
    boolean tellsTwice;
    boolean throwsError;
    int asked;
    int admitted = Integer.MAX_VALUE;
    long queuedAt;
    long startedFirst = -1;

    /** If this stands for a caller's ticket in the model's books, that. */
    @Nullable
    PermitRequest caller;

    SimulatedTask(String key, int number, CompletionListening watched) {
        this(key, number, watched, Options.NONE, null, null);
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    SimulatedTask(
            String key,
            int number,
            CompletionListening watched,
            Options wishes,
            @Nullable AttemptState plan,
            @Nullable ReferenceModel model) {
        this.key = key;
        this.number = number;
        this.watched = watched;
        this.wishes = wishes;
        this.plan = plan;
        this.model = model;
        this.retriesLeft = wishes.retries;
        if (watched == CompletionListening.BY_A_WAITER) {
            completion().whenComplete((result, fault) -> timesTold++);
        }
    }

    /** Where it is; what the timer did to it meanwhile shows in the kernel, and is noted here when somebody looks. */
    Phase where() {
        boolean over = caller == null ? isDecided() : caller.isDecided();
        if (where == Phase.KEEPING && !isAwaitingRetry()) {
            where = Phase.GONE; // it has ended, or its next attempt is about to begin
        } else if ((where == Phase.DELAYED || where == Phase.WAITING) && over) {
            where = Phase.GONE;
        } else if (where == Phase.DELAYED && isAwaitingRetry()) {
            asked = model().tick();
        } else if (where == Phase.DELAYED && !isWithdrawn()) {
            where = Phase.WAITING; // it came some time since it was last found not to be there
            admitted = model().tick();
        }
        return where;
    }

    void move(Phase to) {
        where = to;
    }

    /** How often it has ended, as far as anyone can tell. */
    int ends() {
        if (caller != null) {
            return caller.isCompleted() ? 1 : 0;
        }
        if (isCompleted()) {
            String now = completion().join();
            firstEnd = firstEnd == null ? now : firstEnd;
            return watched == CompletionListening.NOT_AT_ALL ? (now.equals(firstEnd) ? 1 : 2) : timesTold;
        }
        return timesTold;
    }

    boolean hasRetries() {
        return retriesLeft > 0;
    }

    boolean hasFailedBefore() {
        return retriesLeft < wishes.retries;
    }

    @Override
    protected @Nullable AttemptState attempts() {
        return plan;
    }

    @Override
    protected String execute() {
        if (throwsError) {
            throw new AssertionError("thrown by ticket " + number);
        }
        return "ran";
    }

    /** Also where the model learns that it will wait: before its place goes back. */
    @Override
    protected long retryDelay(Object result) {
        if (result.equals("ran") || retriesLeft == 0) {
            return -1;
        }
        retriesLeft--;
        where = wishes.keepsPlace ? Phase.KEEPING : Phase.DELAYED;
        asked = model().tick();
        return wishes.delay;
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
            model.ousted(this, why);
        }
        return why.name();
    }

    @Override
    protected boolean hasListeners() {
        return watched == CompletionListening.BY_AN_OBSERVER;
    }

    @Override
    protected void notifyCompleted(String result) {
        timesTold += tellsTwice ? 2 : 1;
        publishResult(result);
    }

    /** It is to start before the other, of the same group: by priority, or its submit had returned when the other's began. */
    boolean goesBefore(SimulatedTask other) {
        return wishes.priority > other.wishes.priority || (isPeerOf(other) && admitted < other.asked);
    }

    boolean isPeerOf(SimulatedTask other) {
        return wishes.priority == other.wishes.priority;
    }

    boolean holdsPlace() {
        Phase now = where();
        return now == Phase.STARTING || now == Phase.RUNNING || now == Phase.KEEPING;
    }

    private ReferenceModel model() {
        return java.util.Objects.requireNonNull(model);
    }

    @Override
    public String toString() {
        return "#" + number + " of " + key + " (" + where + ")";
    }
}
