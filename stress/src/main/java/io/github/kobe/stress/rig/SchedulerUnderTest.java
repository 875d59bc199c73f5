package io.github.kobe.stress.rig;

import java.util.concurrent.CompletableFuture;

/** What a race is played against: the kernel, or a model that knows only the steps of its own race. */
public interface SchedulerUnderTest {

    /** Where what it starts has to be turned. */
    StepRunner crank();

    /** Lets the job in; false if it was refused. */
    boolean submit(String group, RecordingTask job);

    /** Places in use, and jobs in line. */
    int held();

    /** Jobs in line. */
    default int queued() {
        throw new UnsupportedOperationException();
    }

    /** Zero if, with nothing left to do, the subject is as good as new. */
    default int damage() {
        return held();
    }

    /** Cancels the job; whether this call decided its end. */
    default boolean cancel(RecordingTask job) {
        throw new UnsupportedOperationException();
    }

    /** Cancels what the group holds. */
    default void stop(String group) {
        throw new UnsupportedOperationException();
    }

    /** Drops a group that is at rest. */
    default void evict(String group) {
        throw new UnsupportedOperationException();
    }

    /** The timer's look at idle groups. */
    default void sweep() {
        throw new UnsupportedOperationException();
    }

    /** A look at figures, by one who starts nothing. */
    default void look() {
        throw new UnsupportedOperationException();
    }

    /** Changes how many may run at once. */
    default void resize(int cap) {
        throw new UnsupportedOperationException();
    }

    /** Nothing starts any more. */
    default void pause() {
        throw new UnsupportedOperationException();
    }

    /** What waited may start again. */
    default void resume() {
        throw new UnsupportedOperationException();
    }

    /** Lets the job in, at the expense of the one that is longest in line if there is no room; false if it was refused. */
    default boolean submitDisplacing(String group, RecordingTask job) {
        throw new UnsupportedOperationException();
    }

    /** Lets the job in, and waits for room if there is none; false if that took too long. */
    default boolean submitWaiting(String group, RecordingTask job) {
        throw new UnsupportedOperationException();
    }

    /** Lets the guest in; false if it was refused. */
    default boolean ask(String group, TestPermitRequest guest) {
        throw new UnsupportedOperationException();
    }

    /** Whether the guest has a place. If not, it does not want one any more. */
    default boolean hasPlaceNow(TestPermitRequest guest) {
        throw new UnsupportedOperationException();
    }

    /** The guest, which has a place, gives it back. */
    default void giveBack(TestPermitRequest guest) {
        throw new UnsupportedOperationException();
    }

    /**
     * What the timer has to do next of this kind, for a step that does it later, when it may be too late to call it off; {@code null}
     * if there is nothing.
     */
    default Runnable due(TimerEvent kind) {
        throw new UnsupportedOperationException();
    }

    /** Does what the timer has to do next of this kind; false if there is nothing. */
    default boolean fire(TimerEvent kind) {
        Runnable due = due(kind);
        if (due == null) {
            return false;
        }
        due.run();
        return true;
    }

    /** Takes no more jobs. */
    default void close() {
        throw new UnsupportedOperationException();
    }

    /** Takes no more jobs, and cancels what is here. */
    default void stopAll() {
        throw new UnsupportedOperationException();
    }

    /** Whether it is closed, and all that it held is gone. */
    default boolean isTerminated() {
        throw new UnsupportedOperationException();
    }

    /** Whether those who wait for the job know its end. */
    default boolean isEnded(RecordingTask job) {
        throw new UnsupportedOperationException();
    }

    /** What a thread waits on for the job's end. */
    default CompletableFuture<Boolean> waiter(RecordingTask job) {
        throw new UnsupportedOperationException();
    }

    /** What a user hangs code on. */
    default CompletableFuture<Boolean> view(RecordingTask job) {
        throw new UnsupportedOperationException();
    }
}
