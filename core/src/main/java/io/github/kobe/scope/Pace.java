package io.github.kobe.scope;

import io.github.kobe.internal.util.CacheLinePadding;
import java.util.function.LongSupplier;

/**
 * Has one who submits short tasks as fast as can be stand back for a moment when it is far ahead of the threads that run them. They are
 * not kept waiting for it: there is plenty to do. It gains them time, since a long queue brings on more carriers than it takes, which
 * are in each other's way, and in the submitter's, at the JDK's one queue for all who submit (where two carriers take 170 ns for a bare
 * thread that one alone takes 53 for).
 *
 * <p>It is a moment only, less than a microsecond for sixteen submissions, and none if no task has ended since the last look: then tasks
 * take long, and nothing is gained by waiting for them.
 */
final class Pace extends CacheLinePadding {

    /** One submission in so many looks; a power of two. */
    static final int EVERY = 16;

    /** So many more than are gone may be there: enough for each carrier to have some to go on with. */
    static final int AHEAD = 16 * Runtime.getRuntime().availableProcessors();

    /** For how long it stands back, in pauses of the processor. */
    static final int MOST_STEPS = 16;

    private static final int STEPS_TO_A_LOOK = 4;

    private final LongSupplier present;

    /** At the last look. Those who submit at once write over each other's, and stand back once too often, or not often enough. */
    private long goneBefore;

    /** @param present how many tasks are there that have not gone */
    Pace(LongSupplier present) {
        this.present = present;
    }

    /** The task is submitted: stands back if need be. */
    void submitted(long taskId) {
        if ((taskId & (EVERY - 1)) == 0) {
            look(taskId);
        }
    }

    private void look(long submitted) {
        long there = present.getAsLong();
        boolean getsOn = submitted - there > goneBefore;
        goneBefore = submitted - there;
        if (getsOn && there > AHEAD) {
            standBack();
        }
    }

    private void standBack() {
        for (int i = 1; i <= MOST_STEPS; i++) {
            Thread.onSpinWait();
            if (i % STEPS_TO_A_LOOK == 0 && present.getAsLong() <= AHEAD) {
                return;
            }
        }
    }
}
