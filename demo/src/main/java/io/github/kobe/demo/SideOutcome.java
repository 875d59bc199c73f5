package io.github.kobe.demo;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What came of one side.
 *
 * @param title what it ran on
 * @param rows every role
 * @param peak how many ran at once at most, of all
 */
record SideOutcome(String title, List<RowOutcome> rows, int peak) {

    List<RowOutcome> of(String kind) {
        return rows.stream().filter(row -> row.role().kind().equals(kind)).toList();
    }

    Waits waits(String kind) {
        return Waits.of(of(kind).stream().flatMap(row -> row.samples().stream()).toList());
    }

    double sum(ToDoubleFunction<RowOutcome> figure) {
        return rows.stream().mapToDouble(figure).sum();
    }

    double sum(String kind, ToDoubleFunction<RowOutcome> figure) {
        return of(kind).stream().mapToDouble(figure).sum();
    }
}
