package io.github.kobe.scope;

import java.util.List;

/**
 * The outcomes of the awaited tasks. Immutable.
 *
 * @param total how many there were
 * @param succeeded how many returned
 * @param failed how many threw or exceeded their timeouts
 * @param cancelled how many were cancelled
 * @param failures what they threw, in the order of the tasks; empty under {@link FailurePolicy#IGNORE_ALL}
 */
public record Outcome(int total, int succeeded, int failed, int cancelled, List<Throwable> failures) {

    /** Copies the list. */
    public Outcome {
        failures = List.copyOf(failures);
    }

    /** Whether any task failed. */
    public boolean hasFailures() {
        return failed > 0;
    }
}
