package io.github.kobe.stress.broken;

/** Marks the moment in which a model is wrong. */
final class RaceWindow {

    private static final int SPINS = 20;

    private RaceWindow() {}

    /** Makes the moment longer, so that a short run meets it. */
    static void widen() {
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
        }
    }
}
