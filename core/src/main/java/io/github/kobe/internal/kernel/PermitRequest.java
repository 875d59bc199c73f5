package io.github.kobe.internal.kernel;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A ticket for a thread that does its work itself: it waits like any other, and its end is that it has a place, or that it will
 * not get one. The place is then held until {@link #release(int)}. A shutdown ends those that wait; it does not touch those that
 * have their place, whose threads are not ours.
 */
public class PermitRequest extends KernelTask<PermitRequest.Result> {

    /** What became of its waiting. */
    public enum Result {
        /** It has its place. */
        GRANTED,
        /** It was not waited for any longer. */
        WITHDRAWN,
        /** A shutdown ended it. */
        STOPPED,
        /** It gave up its place in line to one that came later. */
        DISPLACED
    }

    private final AtomicBoolean released = new AtomicBoolean();

    /** A ticket for the calling thread, or for any other that it is handed to. */
    public PermitRequest() {}

    /**
     * Waits for the place, in the line that it was admitted to. Call it once. Mostly it {@link #isGranted} at once: look first.
     *
     * @return what became of it; unless it has its place, it will not get one
     * @throws InterruptedException if the thread is interrupted before it has its place; then it will not get one
     */
    public Result await(long nanos) throws InterruptedException {
        try {
            return completion().get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return abandon();
        } catch (InterruptedException e) {
            if (abandon() != Result.GRANTED) {
                throw e;
            }
            Thread.currentThread().interrupt(); // it got its place in the same moment, and has to be given it
            return Result.GRANTED;
        } catch (ExecutionException e) {
            throw new AssertionError("nothing ends it with an exception", e);
        }
    }

    /** If another end was quicker it may not be told yet; but it is decided, and a moment away. */
    private Result abandon() {
        return cancel(false, "not waited for any longer")
                ? Result.WITHDRAWN
                : completion().join();
    }

    /** Whether it got its place; it may have given it back since. */
    public boolean isGranted() {
        return outcomeOrNull() == Result.GRANTED;
    }

    /**
     * Gives the place back, and counts its use in {@code slot}.
     *
     * @return false if that was done before
     */
    public boolean release(int slot) {
        if (!released.compareAndSet(false, true)) {
            return false;
        }
        count(slot);
        releasePermit();
        return true;
    }

    /** Counts something about it in {@code slot}. */
    public void countAs(int slot) {
        count(slot);
    }

    @Override
    protected boolean launch(TaskRunner runner) {
        recordStart();
        return tryComplete(Result.GRANTED);
    }

    @Override
    protected Object execute() {
        throw new AssertionError("the caller does the work");
    }

    @Override
    protected Object failed(Throwable fault) {
        return Result.STOPPED;
    }

    @Override
    protected Result cancelled(String why) {
        return Result.STOPPED;
    }

    @Override
    protected Result terminated(TerminationCause why) {
        return Result.DISPLACED;
    }
}
