package io.github.kobe.stress.broken;

/** Marks the moment in which a model is wrong. */
final class Flaw {

    private static final int SPINS = 20;

    private Flaw() {}

    /** Makes the moment longer, so that a short run meets it. */
    static void gap() {
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
        }
    }
}
