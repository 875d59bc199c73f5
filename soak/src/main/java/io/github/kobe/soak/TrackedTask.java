package io.github.kobe.soak;

import io.github.kobe.GroupResult;
import io.github.kobe.RejectedTaskException;
import io.github.kobe.RejectionReason;
import io.github.kobe.TaskHandle;
import io.github.kobe.TaskStatus;
import io.github.kobe.TaskTimeoutException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One submitted task, with what its body, its listeners and its handle report. Verifies that these reports agree. */
final class TrackedTask {

    /** Submits a task. */
    interface Submitter {
        TaskHandle<Object> submit(TrackedTask task) throws Exception;
    }

    final long opId;
    final String face;
    final String group;
    final TaskBehavior behavior;
    final TaskSpec spec;

    final AtomicInteger attempts = new AtomicInteger();
    final AtomicInteger submittedEvents = new AtomicInteger();
    final AtomicInteger startedEvents = new AtomicInteger();
    final AtomicInteger outcomeEvents = new AtomicInteger();
    final AtomicInteger fallbackCalls = new AtomicInteger();

    /** The status that the listener was told last. */
    volatile @Nullable TaskStatus statusEvent;

    volatile @Nullable TaskHandle<?> handle;

    /** Whether the soak may cancel this task or its group. Set before the cancellation. */
    volatile boolean cancelExpected;

    /** Whether {@code submit} threw, so that there is no handle. */
    volatile boolean submitFailed;

    /** Whether it ran on the thread of a submitter or of a rejection handler. */
    volatile boolean ranWithoutPermit;

    private volatile @Nullable Object returned;
    private volatile @Nullable Throwable thrown;

    private final TaskTracker tracker;
    private final int epoch;

    TrackedTask(TaskTracker tracker, long opId, String face, String group, TaskBehavior behavior, TaskSpec spec) {
        this.tracker = tracker;
        this.epoch = tracker.epoch();
        this.opId = opId;
        this.face = face;
        this.group = group;
        this.behavior = behavior;
        this.spec = spec;
    }

    /** The task id that the library is given. */
    String taskId() {
        return "op-" + opId;
    }

    /** Submits this task and cancels it, at once or after a yield, in one of the ways that a handle offers. */
    void submitAndCancel(Submitter submitter, RandomSource random) throws Exception {
        cancelExpected = true;
        TaskHandle<Object> submitted = submitter.submit(this);
        if (random.oneIn(2)) {
            Thread.yield();
        }
        switch (random.below(3)) {
            case 0 -> submitted.cancel(random.oneIn(2));
            case 1 -> submitted.future().cancel(random.oneIn(2));
            default -> submitted.toCompletableFuture().cancel(true);
        }
    }

    /** Called by the body when an attempt returned. */
    void recordReturn(Object value) {
        returned = value;
        thrown = null;
    }

    /** Called by the body when an attempt threw. */
    void recordThrow(Throwable exception) {
        thrown = exception;
        returned = null;
    }

    boolean isHandleDone() {
        TaskHandle<?> current = handle;
        return current != null && current.isDone();
    }

    /** Returns whether this task, its group or all tasks may have been cancelled. */
    boolean mayBeCancelled() {
        return cancelExpected || tracker.bulkCancelledSince(epoch);
    }

    /** Returns whether an interrupt of this task has a known reason. */
    boolean mayBeInterrupted() {
        return mayBeCancelled() || spec.hasTimeout();
    }

    /** Returns whether an interrupt ended the last attempt. */
    boolean endedByInterrupt() {
        return thrown instanceof InterruptedException;
    }

    // ---- verification --------------------------------------------------------------------------------------------

    /** Verifies the outcome of the handle. Does nothing if there is no handle. */
    void verify(CheckRecorder recorder, boolean hasListener) {
        TaskHandle<?> current = handle;
        if (current != null
                && recorder.check(Check.HANDLE_DONE, current.isDone(), opId, () -> "handle is not done: " + this)) {
            GroupResult<?> result = resultOf(current, recorder);
            recorder.countOutcome(face + " " + result.status());
            verifyResult(recorder, result, hasListener);
        }
    }

    /** Reads the result of a handle that is done. Unlike {@code await}, this is not affected by an interrupt of the current thread. */
    private GroupResult<?> resultOf(TaskHandle<?> done, CheckRecorder recorder) {
        try {
            return done.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RejectedTaskException rejected) {
                checkNumbers(recorder, opId, rejected);
                return GroupResult.rejected(group, taskId());
            }
            throw e;
        }
    }

    /** Verifies that {@code result} matches what the body did and what the listener was told. */
    void verifyResult(CheckRecorder recorder, GroupResult<?> result, boolean hasListener) {
        recorder.check(Check.FAITHFUL_OUTCOME, matches(result), opId, () -> "outcome " + result + ", but " + this);
        recorder.check(
                Check.ATTEMPTS,
                attempts.get() <= spec.maxAttempts(),
                opId,
                () -> "more than " + spec.maxAttempts() + " attempts: " + this);
        if (hasListener) {
            boolean heardOnce = submittedEvents.get() == 1
                    && outcomeEvents.get() == 1
                    && statusEvent == result.status()
                    && startedEvents.get() <= 1
                    && (startedEvents.get() == 1 || attempts.get() == 0 || ranWithoutPermit);
            recorder.check(Check.ONE_OUTCOME, heardOnce, opId, () -> "outcome " + result.status() + ", but " + this);
        }
        if (result.error() instanceof TaskTimeoutException timeout) {
            checkNumbers(recorder, opId, timeout);
        }
    }

    /** Verifies the value of a task that succeeded. */
    void verifyValue(CheckRecorder recorder, Object value) {
        recorder.check(Check.FAITHFUL_OUTCOME, value == returned, opId, () -> "value " + value + ", but " + this);
    }

    private boolean matches(GroupResult<?> result) {
        return switch (result.status()) {
            case SUCCESS -> attempts.get() > 0 && result.value() == returned;
            case FAILED ->
                result.error() instanceof TaskTimeoutException
                        ? spec.hasTimeout()
                        : attempts.get() > 0 && result.error() == thrown;
            case CANCELLED -> mayBeCancelled() || isCancellation(thrown);
            case REJECTED -> ranWithoutPermit || attempts.get() == 0 || mayBeAwaitingRetry();
        };
    }

    /** A task that awaits a retry may be displaced from the queue like any queued task. */
    private boolean mayBeAwaitingRetry() {
        return attempts.get() < spec.maxAttempts();
    }

    private static boolean isCancellation(@Nullable Throwable exception) {
        return exception instanceof InterruptedException || exception instanceof CancellationException;
    }

    /** Checks that the message carries numbers; after a shutdown there are none. A message of the soak's own rejection handler has no {@code Rejection}. */
    static void checkNumbers(CheckRecorder recorder, long opId, Throwable error) {
        if (error instanceof RejectedTaskException rejected && rejected.reason() == RejectionReason.SHUT_DOWN) {
            return;
        }
        String message = String.valueOf(error.getMessage());
        boolean hasNumbers = message.chars().filter(Character::isDigit).count() > 1
                && (!(error instanceof RejectedTaskException rejected)
                        || rejected.rejection() != null
                        || message.contains(GroupFixture.HANDLER_MESSAGE));
        recorder.check(Check.NUMBERS_IN_ERRORS, hasNumbers, opId, () -> "message without numbers: " + error);
    }

    @Override
    public String toString() {
        return face + " task " + opId + " of '" + group + "', " + behavior + ", " + spec + ": attempts " + attempts
                + ", returned " + returned + ", threw " + thrown + ", may be cancelled " + mayBeCancelled()
                + ", ran without permit " + ranWithoutPermit + ", listener heard " + submittedEvents + " submitted, "
                + startedEvents + " started, " + outcomeEvents + " outcomes " + statusEvent + ", fallback calls "
                + fallbackCalls + ", handle " + handle;
    }
}
