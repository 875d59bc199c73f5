package io.github.kobe.demo;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The result of one executor.
 *
 * @param title the name of the executor
 * @param rows the result of every source
 * @param peak the largest number of tasks of all sources that ran at the same time
 */
record ExecutorResult(String title, List<SourceResult> rows, int peak) {

    List<SourceResult> ofKind(String kind) {
        return rows.stream().filter(row -> row.source().kind().equals(kind)).toList();
    }

    WaitStatistics waits(String kind) {
        return WaitStatistics.of(
                ofKind(kind).stream().flatMap(row -> row.waits().stream()).toList());
    }

    double sum(ToDoubleFunction<SourceResult> value) {
        return rows.stream().mapToDouble(value).sum();
    }

    double sum(String kind, ToDoubleFunction<SourceResult> value) {
        return ofKind(kind).stream().mapToDouble(value).sum();
    }
}
