package io.github.kobe.soak;

/**
 * A promise that was broken, with what it takes to look into it.
 *
 * @param check what noticed
 * @param op the number of the operation that it was about; 0 if it was about none
 * @param where round and wave
 * @param facts what was seen
 */
record Violation(Check check, long op, String where, String facts) {

    @Override
    public String toString() {
        return check.promise().text() + ": " + check + " (" + check.text() + "): " + facts + " [" + where
                + (op == 0 ? "" : ", op " + op) + "]";
    }
}
