package io.github.kobe.demo;

import java.util.concurrent.locks.LockSupport;

/** Simulates work: takes time but no processor. */
final class Sleep {

    private Sleep() {}

    /** Sleeps for a time. Returns false if the thread was interrupted before the end; its interrupt flag stays set. */
    static boolean nanos(long nanos) {
        return until(System.nanoTime() + nanos);
    }

    /** Sleeps until a {@link System#nanoTime} value, otherwise like {@link #nanos}. */
    static boolean until(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            if (Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(left);
        }
        return true;
    }
}
