package io.github.kobe.soak;

import io.github.kobe.TaskCounts;

/** Checks that an idle face has lost no task and counted none twice. */
final class ConservationCheck {

    private ConservationCheck() {}

    /** Checks that every submitted task has exactly one outcome. */
    static void checkOutcomes(CheckRecorder recorder, String face, TaskCounts counts) {
        long completed = counts.succeeded() + counts.failed() + counts.cancelled() + counts.rejected();
        recorder.check(
                Check.CONSERVATION,
                completed == counts.submitted(),
                0,
                () -> face + " is idle with " + counts.submitted() + " submitted and " + completed + " completed: "
                        + counts);
    }

    /**
     * Compares the submissions that the library counted with those that the soak counted.
     *
     * @param submitted submissions that the library must have counted
     * @param possiblySubmitted further submissions that the library may have counted
     */
    static void checkSubmitted(
            CheckRecorder recorder, String face, TaskCounts counts, long submitted, long possiblySubmitted) {
        long counted = counts.submitted();
        recorder.check(
                Check.SUBMITTED_COUNT,
                counted >= submitted && counted <= submitted + possiblySubmitted,
                0,
                () -> face + " counted " + counted + " submissions, expected " + submitted + " and at most "
                        + possiblySubmitted + " more");
    }
}
