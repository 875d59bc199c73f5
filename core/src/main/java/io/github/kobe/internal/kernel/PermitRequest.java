package io.github.kobe.internal.kernel;

import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A permit for a thread that does its work itself. The request is queued like every task, and is one so that it keeps its order among them.
 * Its outcome says whether it got a permit, which is then held until {@link #release(int)}. A shutdown stops queued requests. It does not
 * affect granted ones, whose threads belong to callers.
 */
public class PermitRequest extends KernelTask<PermitRequest.Result> {

    /** The outcome of a request. */
    public enum Result {
        /** It got a permit. */
        GRANTED,
        /** The caller stopped waiting for it before its time was over. */
        WITHDRAWN,
        /** It did not get a permit in time. */
        EXPIRED,
        /** It was stopped by a shutdown. */
        STOPPED,
        /** A task that was submitted later was queued instead of it. */
        DISPLACED,
        /** Its time limit could not be set, see {@link #fault}. */
        FAILED
    }

    private HeldPermits.@Nullable Entry held; // written by the thread that got it, before any other thread can have it
    private @Nullable KernelTask<?> globalHolder; // what its thread has a global permit as
    private @Nullable Throwable fault; // written before the outcome

    /** A request for the calling thread, or for another thread that it is passed to. */
    public PermitRequest() {}

    /**
     * Waits for the permit of an admitted request. Call it once. Most requests are granted at once: check {@link #isGranted} first.
     *
     * @return the outcome; unless it is GRANTED, the request never gets a permit
     * @throws InterruptedException if the thread is interrupted before the outcome is decided; then the request never gets a permit. If
     *     the interrupt comes later, the interrupt flag is set
     */
    public Result await(long nanos) throws InterruptedException {
        if (nanos <= 0) {
            return abandon(Result.EXPIRED);
        }
        BlockedWait wait = BlockedWait.begin(this);
        try {
            return completion().get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return abandon(Result.EXPIRED);
        } catch (InterruptedException e) {
            Result result = abandon(Result.WITHDRAWN);
            if (result == Result.WITHDRAWN) {
                throw e;
            }
            Thread.currentThread()
                    .interrupt(); // the outcome came first; if that is a permit, the caller has to release it
            return result;
        } catch (ExecutionException e) {
            throw new AssertionError("a permit request never completes with an exception", e);
        } finally {
            if (wait != null) {
                wait.endGranted(this);
            }
        }
    }

    /**
     * Withdraws the request, unless its outcome is decided.
     *
     * @return whether this call decided the outcome; then the request never gets a permit
     */
    public boolean tryWithdraw() {
        return tryTerminate(Result.WITHDRAWN);
    }

    /** As {@link #tryWithdraw}, because its time is over. */
    public boolean tryExpire() {
        return tryTerminate(Result.EXPIRED);
    }

    /** If it cannot be withdrawn, its outcome is decided and about to be published. */
    private Result abandon(Result why) {
        return tryTerminate(why) ? why : completion().join();
    }

    /** Whether it got a permit. It may have released it since. */
    public boolean isGranted() {
        return outcomeOrNull() == Result.GRANTED;
    }

    /**
     * Releases the permit, and counts its use in {@code slot}.
     *
     * @return false if it was released before
     */
    public boolean release(int slot) {
        if (!tryGiveUp()) {
            return false;
        }
        leaveThread();
        countOutcomeAs(slot);
        releasePermit();
        return true;
    }

    /** No thread holds it from now on. It is released as before. */
    protected final void leaveThread() {
        HeldPermits.Entry entry = held;
        if (entry != null) {
            entry.remove();
        }
    }

    /** It is granted, and the calling thread holds the permit from now on: further requests of the thread for the group share it. */
    public final void holdByCurrentThread() {
        held = HeldPermits.add(this);
    }

    /** Grants it a permit that its thread shares. Of a request that was not admitted. */
    final void grantShared(PermitSource source) {
        home().dispatcher.lending().setSource(this, source);
        markShared();
        ((Group) home()).countAdmitted(this);
        recordStart();
        home().noteGrantedPermit();
        tryComplete(Result.GRANTED);
    }

    /** It is about to be submitted by a thread that has a global permit as {@code holder}. */
    final void noteGlobalHolder(@Nullable KernelTask<?> holder) {
        globalHolder = holder;
    }

    /** The thread that gets the permit does not call {@link #run}. */
    @Override
    final boolean checksLease() {
        return false;
    }

    @Override
    final boolean tryShareGlobal(Group group, long refusing) {
        KernelTask<?> holder = globalHolder;
        PermitShare share =
                holder == null || cost() > holder.cost() || !group.hasFreePermits() ? null : PermitShare.join(holder);
        if (holder == null || share == null) {
            return false;
        }
        if (!group.tryGrantWithGlobal(this, share.globalOnly(), (Group) holder.home(), refusing)) {
            share.leave(0, false);
            return false;
        }
        return true;
    }

    /** Counts something other than its outcome in {@code slot}. */
    public void countAs(int slot) {
        count(slot);
    }

    /** Counts its outcome in {@code slot}, and under its tag. For an outcome that the kernel does not decide. */
    public void countOutcomeAs(int slot) {
        TaskHome counting = countingHome();
        if (counting != null) {
            counting.count(slot, 1, counterTag());
        }
    }

    @Override
    protected boolean launch(TaskRunner runner) {
        AttemptState attempts = attempts();
        if (attempts != null) {
            // It will not be among the running tasks. Until now, a sweep for its time limit had to find it there.
            discard(attempts);
        }
        recordStart();
        home().noteGrantedPermit();
        return tryComplete(Result.GRANTED);
    }

    /** The thread that releases a permit to this request has other work to go on to. */
    @Override
    protected boolean defersUserCode() {
        return true;
    }

    @Override
    protected Object execute() {
        throw new AssertionError("the caller does the work");
    }

    /** The timer did not take its time limit, because it could not start a thread. */
    @Override
    protected Object failed(Throwable thrown) {
        fault = thrown;
        return Result.FAILED;
    }

    /** Why it failed. Of a request whose outcome is FAILED. */
    public Throwable fault() {
        return Objects.requireNonNull(fault);
    }

    @Override
    protected Result cancelled(String why) {
        return Result.STOPPED;
    }

    @Override
    protected Result terminated(TerminationCause why) {
        return why == TerminationCause.EXPIRED ? Result.EXPIRED : Result.DISPLACED;
    }
}
