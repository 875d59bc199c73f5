package io.github.kobe.soak;

/**
 * A promise that was broken, with the facts that are needed to investigate it.
 *
 * @param check the check that failed
 * @param opId the operation that was checked; 0 if the check belongs to no operation
 * @param location seed, round and wave
 * @param details what was observed
 */
record Violation(Check check, long opId, String location, String details) {

    @Override
    public String toString() {
        return check.promise().text() + ": " + check + " (" + check.text() + "): " + details + " [" + location
                + (opId == 0 ? "" : ", op " + opId) + "]";
    }
}
