package io.github.kobe.benchmarks;

import io.github.kobe.scope.Task;
import io.github.kobe.scope.ThreadScope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;

/** So many tasks forked, a few of them at a time, and their results collected: a scope with a limit, and jox's call for that. */
final class FanOut {

    static final String TITLE = "fan out, 8 at a time";
    static final String PEER = "jox";
    private static final int LIMIT = 8;
    private static final int TASKS = 20_000;
    private static final List<Callable<Object>> NOTHINGS = Collections.nCopies(TASKS, () -> true);

    private FanOut() {}

    private interface Side {
        List<?> results() throws Throwable;
    }

    private static List<?> ours() {
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(LIMIT).withQueueing(true)) {
            List<Task<Object>> tasks = new ArrayList<>(TASKS);
            for (Callable<Object> nothing : NOTHINGS) {
                tasks.add(scope.submit(nothing));
            }
            return scope.awaitAll(tasks);
        }
    }

    private static List<?> jox() throws Throwable {
        return Jox.parLimit(LIMIT, NOTHINGS);
    }

    /** One fork: warm-up rounds and rounds. */
    public static void main(String[] args) throws Throwable {
        int warmups = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        for (int round = -warmups; round < rounds; round++) {
            boolean first = round % 2 == 0;
            double one = nanos(first ? FanOut::ours : FanOut::jox);
            double other = nanos(first ? FanOut::jox : FanOut::ours);
            if (round >= 0) {
                Fork.report(Library.NAME, first ? one : other);
                Fork.report(PEER, first ? other : one);
            }
        }
    }

    private static double nanos(Side side) throws Throwable {
        System.gc();
        long start = System.nanoTime();
        int results = side.results().size();
        if (results != TASKS) {
            throw new IllegalStateException("only " + results + " results");
        }
        return (System.nanoTime() - start) / (double) TASKS;
    }
}
