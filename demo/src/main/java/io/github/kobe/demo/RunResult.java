package io.github.kobe.demo;

import java.util.List;

/** The results of the same work on both executors. */
record RunResult(ExecutorResult plain, ExecutorResult library) {

    List<ExecutorResult> both() {
        return List.of(plain, library);
    }

    /** Returns the distinct kinds of source, in the order of the rows. */
    List<String> kinds() {
        return library.rows().stream()
                .map(row -> row.source().kind())
                .distinct()
                .toList();
    }

    /** Returns the number of tasks or requests that were still waiting at the end of the run. */
    long unfinished() {
        return both().stream()
                .flatMap(executor -> executor.rows().stream())
                .mapToLong(SourceResult::unfinished)
                .sum();
    }
}
