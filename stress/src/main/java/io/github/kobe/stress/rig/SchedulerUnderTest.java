package io.github.kobe.stress.rig;

import java.util.concurrent.CompletableFuture;

/** What a race is played against: the kernel, or a model that knows only the steps of its own race. */
public interface SchedulerUnderTest {

    /** Where what it starts has to be turned. */
    StepRunner runner();

    /** Lets the task in; false if it was refused. */
    boolean submit(String group, RecordingTask task);

    /** Places in use, and tasks in line. */
    int occupancy();

    /** Jobs in line. */
    default int queued() {
        throw new UnsupportedOperationException();
    }

    /** Zero if, with nothing left to do, the scheduler is as good as new. */
    default int leaks() {
        return occupancy();
    }

    /** Cancels the task; whether this call decided its end. */
    default boolean cancel(RecordingTask task) {
        throw new UnsupportedOperationException();
    }

    /** Cancels what the group holds. */
    default void stopGroup(String group) {
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
    default void readStatistics() {
        throw new UnsupportedOperationException();
    }

    /** Changes how many may run at once. */
    default void resize(int limit) {
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

    /** Lets the task in, at the expense of the one that is longest in line if there is no room; false if it was refused. */
    default boolean submitDisplacing(String group, RecordingTask task) {
        throw new UnsupportedOperationException();
    }

    /** Lets the task in, and waits for room if there is none; false if that took too long. */
    default boolean submitBlocking(String group, RecordingTask task) {
        throw new UnsupportedOperationException();
    }

    /** Lets the request in; false if it was refused. */
    default boolean requestPermit(String group, TestPermitRequest request) {
        throw new UnsupportedOperationException();
    }

    /** Whether the request has a place. If not, it does not want one any more. */
    default boolean isGrantedElseWithdraw(TestPermitRequest request) {
        throw new UnsupportedOperationException();
    }

    /** The request, which has a place, gives it back. */
    default void releasePermit(TestPermitRequest request) {
        throw new UnsupportedOperationException();
    }

    /**
     * What the timer has to do next of this kind, for a step that does it later, when it may be too late to call it off; {@code null}
     * if there is nothing.
     */
    default Runnable takeTimerEvent(TimerEvent event) {
        throw new UnsupportedOperationException();
    }

    /** Does what the timer has to do next of this kind; false if there is nothing. */
    default boolean fireTimerEvent(TimerEvent event) {
        Runnable due = takeTimerEvent(event);
        if (due == null) {
            return false;
        }
        due.run();
        return true;
    }

    /** Takes no more tasks. */
    default void close() {
        throw new UnsupportedOperationException();
    }

    /** Takes no more tasks, and cancels what is here. */
    default void stopAll() {
        throw new UnsupportedOperationException();
    }

    /** Whether it is closed, and all that it held is gone. */
    default boolean isTerminated() {
        throw new UnsupportedOperationException();
    }

    /** Whether those who wait for the task know its end. */
    default boolean isCompleted(RecordingTask task) {
        throw new UnsupportedOperationException();
    }

    /** What a thread waits on for the task's end. */
    default CompletableFuture<Boolean> sharedFuture(RecordingTask task) {
        throw new UnsupportedOperationException();
    }

    /** What a user hangs code on. */
    default CompletableFuture<Boolean> userFuture(RecordingTask task) {
        throw new UnsupportedOperationException();
    }
}
