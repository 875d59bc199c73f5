package io.github.kobe.soak;

import io.github.kobe.TaskCounts;

/** At rest no task is lost, and none is counted twice. */
final class ConservationCheck {

    private ConservationCheck() {}

    static void check(Recorder recorder, String face, TaskCounts counts) {
        long ended = counts.succeeded() + counts.failed() + counts.cancelled() + counts.rejected();
        recorder.check(
                Check.CONSERVATION,
                ended == counts.submitted(),
                0,
                () -> face + " at rest has " + counts.submitted() + " submitted and " + ended + " ended: " + counts);
    }

    /**
     * Compares with our own count.
     *
     * @param surely what was handed in
     * @param maybe what may have been handed in as well
     */
    static void checkHandedIn(Recorder recorder, String face, TaskCounts counts, long surely, long maybe) {
        long counted = counts.submitted();
        recorder.check(
                Check.SUBMITTED_COUNT,
                counted >= surely && counted <= surely + maybe,
                0,
                () -> face + " counted " + counted + ", but was handed " + surely + " and up to " + maybe + " more");
    }
}
