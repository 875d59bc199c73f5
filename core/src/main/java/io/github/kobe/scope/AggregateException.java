package io.github.kobe.scope;

import java.util.List;

/** Several tasks were waited for, and some failed. The first failure is the cause, the others are suppressed. */
public final class AggregateException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient List<Throwable> failures;

    /** @param failures at least one */
    public AggregateException(String message, List<Throwable> failures) {
        super(message, failures.get(0));
        this.failures = List.copyOf(failures);
        this.failures.stream().skip(1).forEach(this::addSuppressed);
    }

    /** What the tasks threw: those that were waited for in their order, those of a join in the order in which they failed. */
    public List<Throwable> failures() {
        return failures;
    }
}
