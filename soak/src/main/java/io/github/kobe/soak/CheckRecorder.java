package io.github.kobe.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Counts operations, outcomes and checks, and records violations. Thread-safe. */
final class CheckRecorder {

    /** Violations kept per check. A promise that is broken once is often broken a million times. */
    private static final int MAX_KEPT = 10;

    private final LongAdder[] checks = adders(Check.values().length);
    private final LongAdder[] failedChecks = adders(Check.values().length);
    private final Map<String, LongAdder> operations = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> outcomes = new ConcurrentHashMap<>();
    private final AtomicLong lastOpId = new AtomicLong();
    private final List<Violation> violations = new ArrayList<>(); // guarded by itself
    private final Consumer<Violation> violationListener;
    private final ThreadTracker taskThreads = new ThreadTracker();
    private volatile String location = "at the start";

    /** @param violationListener called with each violation that is kept, at the time when it is found */
    CheckRecorder(Consumer<Violation> violationListener) {
        this.violationListener = violationListener;
    }

    private static LongAdder[] adders(int count) {
        LongAdder[] adders = new LongAdder[count];
        for (int i = 0; i < count; i++) {
            adders[i] = new LongAdder();
        }
        return adders;
    }

    /** Sets the location that later violations are recorded with. */
    void setLocation(String location) {
        this.location = location;
    }

    ThreadTracker taskThreads() {
        return taskThreads;
    }

    /** Counts an operation and returns its id. */
    long countOperation(String name) {
        increment(operations, name);
        return lastOpId.incrementAndGet();
    }

    void countOutcome(String name) {
        increment(outcomes, name);
    }

    private static void increment(Map<String, LongAdder> counts, String name) {
        counts.computeIfAbsent(name, key -> new LongAdder()).increment();
    }

    /**
     * Counts a check. If it failed, records a violation.
     *
     * @param holds whether the check passed
     * @param opId the operation that was checked; 0 if there is none
     * @return {@code holds}
     */
    boolean check(Check check, boolean holds, long opId, Supplier<String> details) {
        checks[check.ordinal()].increment();
        if (!holds) {
            recordViolation(check, opId, details.get());
        }
        return holds;
    }

    private void recordViolation(Check check, long opId, String details) {
        LongAdder count = failedChecks[check.ordinal()];
        count.increment();
        if (count.sum() > MAX_KEPT) {
            return;
        }
        Violation violation = new Violation(check, opId, location, details);
        synchronized (violations) {
            violations.add(violation);
        }
        violationListener.accept(violation);
    }

    long checkCount() {
        return sum(checks);
    }

    long checkCount(Check check) {
        return checks[check.ordinal()].sum();
    }

    long violationCount() {
        return sum(failedChecks);
    }

    long violationCount(Check check) {
        return failedChecks[check.ordinal()].sum();
    }

    private static long sum(LongAdder[] adders) {
        long sum = 0;
        for (LongAdder adder : adders) {
            sum += adder.sum();
        }
        return sum;
    }

    /** Returns the first violations of each check. */
    List<Violation> violations() {
        synchronized (violations) {
            return List.copyOf(violations);
        }
    }

    Map<String, Long> operations() {
        return snapshot(operations);
    }

    Map<String, Long> outcomes() {
        return snapshot(outcomes);
    }

    private static Map<String, Long> snapshot(Map<String, LongAdder> counts) {
        Map<String, Long> sums = new TreeMap<>();
        counts.forEach((name, count) -> sums.put(name, count.sum()));
        return sums;
    }
}
