package io.github.kobe.scope;

import java.util.List;

/** Some of several awaited tasks failed. The first failure is the cause, the others are suppressed. */
public final class AggregateException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient List<Throwable> failures;

    /** @param failures at least one */
    public AggregateException(String message, List<Throwable> failures) {
        super(message, failures.get(0));
        this.failures = List.copyOf(failures);
        this.failures.stream().skip(1).forEach(this::addSuppressed);
    }

    /** What the tasks threw: of awaited tasks in the order of the tasks, of a join in the order of the failures. */
    public List<Throwable> failures() {
        return failures;
    }
}
