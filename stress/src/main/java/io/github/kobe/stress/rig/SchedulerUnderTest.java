package io.github.kobe.stress.rig;

import io.github.kobe.Permit;
import java.util.concurrent.CompletableFuture;

/** What a race runs against: the kernel, or a model that has only the steps of its race. */
public interface SchedulerUnderTest {

    /** Holds the started tasks. */
    StepRunner runner();

    /** Submits the task; false if it was rejected. */
    boolean submit(String group, RecordingTask task);

    /** The number of permits in use plus the number of queued tasks. */
    int occupancy();

    /** The number of queued tasks. */
    default int queued() {
        throw new UnsupportedOperationException();
    }

    /** The number of leaks; 0 if the scheduler, with no task left, is in the same state as a new one. */
    default int leaks() {
        return occupancy();
    }

    /** Cancels the task; true if this call decided its outcome. */
    default boolean cancel(RecordingTask task) {
        throw new UnsupportedOperationException();
    }

    /** Cancels all tasks of the group. */
    default void stopGroup(String group) {
        throw new UnsupportedOperationException();
    }

    /** Retires the group if it is idle. */
    default void evict(String group) {
        throw new UnsupportedOperationException();
    }

    /** Runs the idle sweep of the timer. */
    default void sweep() {
        throw new UnsupportedOperationException();
    }

    /** Reads statistics, which starts no task. */
    default void readStatistics() {
        throw new UnsupportedOperationException();
    }

    /** Changes the limit. */
    default void resize(int limit) {
        throw new UnsupportedOperationException();
    }

    /** Pauses the group: no task starts. */
    default void pause() {
        throw new UnsupportedOperationException();
    }

    /** Resumes the group. */
    default void resume() {
        throw new UnsupportedOperationException();
    }

    /** Submits the task. If the queue is full, it displaces the oldest queued task. False if it was rejected. */
    default boolean submitDisplacing(String group, RecordingTask task) {
        throw new UnsupportedOperationException();
    }

    /** Submits the task, and blocks while the queue is full; false after the maximum wait. */
    default boolean submitBlocking(String group, RecordingTask task) {
        throw new UnsupportedOperationException();
    }

    /** Requests a permit; false if the request was rejected. */
    default boolean requestPermit(String group, TestPermitRequest request) {
        throw new UnsupportedOperationException();
    }

    /** Whether the request is granted. If not, it is withdrawn. */
    default boolean isGrantedElseWithdraw(TestPermitRequest request) {
        throw new UnsupportedOperationException();
    }

    /** Releases the permit of a granted request. */
    default void releasePermit(TestPermitRequest request) {
        throw new UnsupportedOperationException();
    }

    /** The calling thread holds the permit of {@code holder}, and begins to wait for the task. Any thread may end the wait, once. */
    default Runnable beginWait(TestPermitRequest holder, RecordingTask awaited) {
        throw new UnsupportedOperationException();
    }

    /** Requests a permit for the future that it returns. */
    default CompletableFuture<Permit> requestPermitAsync(String group) {
        throw new UnsupportedOperationException();
    }

    /**
     * Takes the next pending event from the timer, for a step that fires it later. The event can no longer be cancelled. {@code
     * null} if there is none.
     */
    default Runnable takeTimerEvent(TimerEvent event) {
        throw new UnsupportedOperationException();
    }

    /** Fires the next pending event; false if there is none. */
    default boolean fireTimerEvent(TimerEvent event) {
        Runnable due = takeTimerEvent(event);
        if (due == null) {
            return false;
        }
        due.run();
        return true;
    }

    /** Rejects further tasks. */
    default void close() {
        throw new UnsupportedOperationException();
    }

    /** Rejects further tasks, and cancels all tasks. */
    default void stopAll() {
        throw new UnsupportedOperationException();
    }

    /** Whether it is closed and has no task left. */
    default boolean isTerminated() {
        throw new UnsupportedOperationException();
    }

    /** Whether the outcome of the task is published. */
    default boolean isCompleted(RecordingTask task) {
        throw new UnsupportedOperationException();
    }

    /** The future that waiting threads share. */
    default CompletableFuture<Boolean> sharedFuture(RecordingTask task) {
        throw new UnsupportedOperationException();
    }

    /** A future for a user, who may attach callbacks to it. */
    default CompletableFuture<Boolean> userFuture(RecordingTask task) {
        throw new UnsupportedOperationException();
    }
}
