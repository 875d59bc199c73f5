package io.github.kobe.stress.rig;

import java.util.concurrent.CompletableFuture;

/** What a race is played against: the kernel, or a model that knows only the steps of its own race. */
public interface Subject {

    /** Where what it starts has to be turned. */
    Crank crank();

    /** Lets the job in; false if it was refused. */
    boolean submit(String group, Job job);

    /** Places in use, and jobs in line. */
    int held();

    /** Zero if, with nothing left to do, the subject is as good as new. */
    default int damage() {
        return held();
    }

    /** Cancels the job; whether this call decided its end. */
    default boolean cancel(Job job) {
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

    /** Changes how many may run at once. */
    default void resize(int cap) {
        throw new UnsupportedOperationException();
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
    default boolean isEnded(Job job) {
        throw new UnsupportedOperationException();
    }

    /** What a thread waits on for the job's end. */
    default CompletableFuture<Boolean> waiter(Job job) {
        throw new UnsupportedOperationException();
    }

    /** What a user hangs code on. */
    default CompletableFuture<Boolean> view(Job job) {
        throw new UnsupportedOperationException();
    }
}
