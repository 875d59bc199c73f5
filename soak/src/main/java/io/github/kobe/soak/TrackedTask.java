package io.github.kobe.soak;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTimeoutException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One task, as its body, its observers and its handle tell of it. */
final class TrackedTask {

    final long op;
    final String face;
    final String group;
    final TaskBehavior plot;
    final TaskSpec terms;

    final AtomicInteger attempts = new AtomicInteger();
    final AtomicInteger toldSubmitted = new AtomicInteger();
    final AtomicInteger toldStarted = new AtomicInteger();
    final AtomicInteger toldEnds = new AtomicInteger();
    final AtomicInteger fallbacks = new AtomicInteger();

    volatile @Nullable TaskStatus toldStatus;
    volatile @Nullable TaskHandle<?> handle;

    /** Whether somebody may have cancelled it. Set before that is done. */
    volatile boolean disturbed;

    /** Whether it was not handed in after all. */
    volatile boolean dropped;

    /** Whether it was run by a caller or a handler. */
    volatile boolean outside;

    private volatile @Nullable Object returned;
    private volatile @Nullable Throwable thrown;

    private final TaskTracker troupe;
    private final int born;

    TrackedTask(TaskTracker troupe, long op, String face, String group, TaskBehavior plot, TaskSpec terms) {
        this.troupe = troupe;
        this.born = troupe.now();
        this.op = op;
        this.face = face;
        this.group = group;
        this.plot = plot;
        this.terms = terms;
    }

    String id() {
        return "op-" + op;
    }

    void returns(Object value) {
        returned = value;
        thrown = null;
    }

    void throwsUp(Throwable fault) {
        thrown = fault;
        returned = null;
    }

    /** Whether it, or all around it, may have been cancelled. */
    boolean mayBeCancelled() {
        return disturbed || troupe.hasDisturbedSince(born);
    }

    /** Whether somebody may have meant it. */
    boolean mayBeInterrupted() {
        return mayBeCancelled() || terms.timeout();
    }

    /** Whether an interruption ended its last attempt. */
    boolean gaveUp() {
        return thrown instanceof InterruptedException;
    }

    // ---- the verdict ---------------------------------------------------------------------------------------------

    /** Of a handle that is done: whether that is the end that the task should have, and everybody was told. */
    void judge(Recorder recorder, boolean observed) {
        TaskHandle<?> its = handle;
        if (its != null && recorder.check(Check.HANDLE_DONE, its.isDone(), op, () -> "is not done: " + this)) {
            GroupResult<?> result = resultOf(its, recorder);
            recorder.countOutcome(face + " " + result.status());
            judge(recorder, result, observed);
        }
    }

    /** In this way an interruption of the calling thread changes nothing. */
    private GroupResult<?> resultOf(TaskHandle<?> its, Recorder recorder) {
        try {
            return its.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RejectedTaskException rejected) {
                checkNumbers(recorder, op, rejected);
                return GroupResult.rejected(group, id());
            }
            throw e;
        }
    }

    /** Whether the result fits to what was seen. */
    void judge(Recorder recorder, GroupResult<?> result, boolean observed) {
        recorder.check(Check.FAITHFUL_OUTCOME, isFaithful(result), op, () -> "ended " + result + ", but " + this);
        recorder.check(Check.ATTEMPTS, attempts.get() <= terms.attempts(), op, () -> "ran too often: " + this);
        if (observed) {
            boolean heard = toldSubmitted.get() == 1
                    && toldEnds.get() == 1
                    && toldStatus == result.status()
                    && toldStarted.get() <= 1
                    && (toldStarted.get() == 1 || attempts.get() == 0 || outside);
            recorder.check(Check.ONE_OUTCOME, heard, op, () -> "ended " + result.status() + ", but " + this);
        }
        if (result.error() instanceof TaskTimeoutException timeout) {
            checkNumbers(recorder, op, timeout);
        }
    }

    /** Whether that is what it returned, of one that has returned. */
    void judgeValue(Recorder recorder, Object value) {
        recorder.check(Check.FAITHFUL_OUTCOME, value == returned, op, () -> "has the value " + value + ", but " + this);
    }

    private boolean isFaithful(GroupResult<?> result) {
        return switch (result.status()) {
            case SUCCESS -> attempts.get() > 0 && result.value() == returned;
            case FAILED ->
                result.error() instanceof TaskTimeoutException
                        ? terms.timeout()
                        : attempts.get() > 0 && result.error() == thrown;
            case CANCELLED -> mayBeCancelled() || meansCancelled(thrown);
            case REJECTED -> outside || attempts.get() == 0 || isInLineAgain();
        };
    }

    /** One that waits for a further attempt may have to make room for another, as any that waits. */
    private boolean isInLineAgain() {
        return attempts.get() < terms.attempts();
    }

    private static boolean meansCancelled(@Nullable Throwable fault) {
        return fault instanceof InterruptedException || fault instanceof CancellationException;
    }

    /** What a handler of ours throws has numbers too, but in words of its own. */
    static void checkNumbers(Recorder recorder, long op, Throwable error) {
        String message = String.valueOf(error.getMessage());
        boolean fine = message.chars().filter(Character::isDigit).count() > 1
                && (!(error instanceof RejectedTaskException rejected)
                        || rejected.rejection() != null
                        || message.contains("a handler"));
        recorder.check(Check.NUMBERS_IN_ERRORS, fine, op, () -> "without numbers: " + error);
    }

    @Override
    public String toString() {
        return face + " task " + op + " of '" + group + "', " + plot + ", " + terms + ": attempts " + attempts
                + ", returned "
                + returned + ", threw " + thrown + ", disturbed " + mayBeCancelled() + ", outside " + outside
                + ", told "
                + toldSubmitted + " submit, " + toldStarted + " start, " + toldEnds + " ends " + toldStatus
                + ", fallbacks "
                + fallbacks + ", handle " + handle;
    }
}
