package io.github.kobe.stress.broken;

/** The race window between two steps of a broken model. */
final class RaceWindow {

    private static final int SPINS = 20;

    private RaceWindow() {}

    /** Makes the window longer, so that a short run hits it. */
    static void widen() {
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
        }
    }
}
