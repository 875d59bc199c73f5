package io.github.kobe.benchmarks;

import io.github.kobe.scope.Task;
import io.github.kobe.scope.ThreadScope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;

/** Forks many tasks with a limit on the running ones and collects their results: a scope with a limit, compared with jox. */
final class FanOut {

    static final String TITLE = "fan out, 8 at a time";
    static final String PEER = "jox";
    static final String THREAD_SCOPE = "ThreadScope";
    private static final int LIMIT = 8;
    private static final int TASKS = 20_000;
    private static final List<Callable<Object>> EMPTY_TASKS = Collections.nCopies(TASKS, () -> true);

    private FanOut() {}

    private interface Candidate {
        List<?> results() throws Throwable;
    }

    private static List<?> withThreadScope() {
        try (ThreadScope scope = ThreadScope.open().withConcurrencyLimit(LIMIT).withQueueing(true)) {
            List<Task<Object>> tasks = new ArrayList<>(TASKS);
            for (Callable<Object> task : EMPTY_TASKS) {
                tasks.add(scope.submit(task));
            }
            return scope.awaitAll(tasks);
        }
    }

    private static List<?> withJox() throws Throwable {
        return Jox.parLimit(LIMIT, EMPTY_TASKS);
    }

    static LibraryWorkload libraryWorkload() {
        return new LibraryWorkload(TITLE + ", per task", Unit.NANOS, () -> nanosPerTask(FanOut::withThreadScope));
    }

    /** The forked JVM. Arguments: warm-up rounds, rounds. */
    public static void main(String[] args) throws Throwable {
        int warmups = Integer.parseInt(args[0]);
        int rounds = Integer.parseInt(args[1]);
        for (int round = -warmups; round < rounds; round++) {
            boolean scopeFirst = round % 2 == 0;
            double first = nanosPerTask(scopeFirst ? FanOut::withThreadScope : FanOut::withJox);
            double second = nanosPerTask(scopeFirst ? FanOut::withJox : FanOut::withThreadScope);
            if (round >= 0) {
                Fork.print(THREAD_SCOPE, scopeFirst ? first : second);
                Fork.print(PEER, scopeFirst ? second : first);
            }
        }
    }

    private static double nanosPerTask(Candidate candidate) throws Throwable {
        System.gc();
        long start = System.nanoTime();
        int results = candidate.results().size();
        if (results != TASKS) {
            throw new IllegalStateException(results + " results instead of " + TASKS);
        }
        return (System.nanoTime() - start) / (double) TASKS;
    }
}
