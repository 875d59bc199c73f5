package io.github.kobe.demo;

import java.util.concurrent.locks.LockSupport;

/** Stands in for work: takes time, and no processor. */
final class Nap {

    private Nap() {}

    /** Returns whether it took its time; not so if the thread was interrupted, whose flag stays set. */
    static boolean of(long nanos) {
        return until(System.nanoTime() + nanos);
    }

    static boolean until(long time) {
        for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
            if (Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(left);
        }
        return true;
    }
}
