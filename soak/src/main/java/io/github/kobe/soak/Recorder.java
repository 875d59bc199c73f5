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

/** What was done, what was checked, and what was found broken. Safe for use by many threads. */
final class Recorder {

    /** Of each check; a promise that is broken once is often broken a million times. */
    private static final int MOST_KEPT = 10;

    private final LongAdder[] checks = adders(Check.values().length);
    private final LongAdder[] broken = adders(Check.values().length);
    private final Map<String, LongAdder> operations = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> ends = new ConcurrentHashMap<>();
    private final AtomicLong lastOp = new AtomicLong();
    private final List<Violation> violations = new ArrayList<>(); // guarded by itself
    private final Consumer<Violation> alarm;
    private final ThreadTracker roster = new ThreadTracker();
    private volatile String where = "at the start";

    /** @param alarm told of each violation that is kept, when it is found */
    Recorder(Consumer<Violation> alarm) {
        this.alarm = alarm;
    }

    private static LongAdder[] adders(int n) {
        LongAdder[] all = new LongAdder[n];
        for (int i = 0; i < n; i++) {
            all[i] = new LongAdder();
        }
        return all;
    }

    /** What goes on from now on is done there. */
    void turnTo(String place) {
        where = place;
    }

    ThreadTracker roster() {
        return roster;
    }

    /** Counts an operation; returns its number. */
    long operation(String kind) {
        count(operations, kind);
        return lastOp.incrementAndGet();
    }

    void end(String kind) {
        count(ends, kind);
    }

    private static void count(Map<String, LongAdder> counts, String kind) {
        counts.computeIfAbsent(kind, k -> new LongAdder()).increment();
    }

    /** Returns {@code fine}, and writes it down. */
    boolean check(Check check, boolean fine, long op, Supplier<String> facts) {
        checks[check.ordinal()].increment();
        if (!fine) {
            violated(check, op, facts.get());
        }
        return fine;
    }

    private void violated(Check check, long op, String facts) {
        LongAdder count = broken[check.ordinal()];
        count.increment();
        if (count.sum() > MOST_KEPT) {
            return;
        }
        Violation violation = new Violation(check, op, where, facts);
        synchronized (violations) {
            violations.add(violation);
        }
        alarm.accept(violation);
    }

    long checks(Check check) {
        return checks[check.ordinal()].sum();
    }

    long broken(Check check) {
        return broken[check.ordinal()].sum();
    }

    long violationCount() {
        long sum = 0;
        for (LongAdder count : broken) {
            sum += count.sum();
        }
        return sum;
    }

    /** The first few of each check. */
    List<Violation> violations() {
        synchronized (violations) {
            return List.copyOf(violations);
        }
    }

    Map<String, Long> operations() {
        return sums(operations);
    }

    Map<String, Long> ends() {
        return sums(ends);
    }

    private static Map<String, Long> sums(Map<String, LongAdder> counts) {
        Map<String, Long> sums = new TreeMap<>();
        counts.forEach((kind, count) -> sums.put(kind, count.sum()));
        return sums;
    }
}
