package io.github.kobe.benchmarks;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One measured value of the report.
 *
 * @param name what was measured
 * @param unit the unit of the value, and which direction is better
 * @param earlierDesign the value of the design that this library replaces; {@code null} if it was not measured
 * @param library the value of this library
 * @param promise the bound that this library promises to reach; {@code null} if the row is for information only
 */
record Row(
        String name,
        Unit unit,
        @Nullable Quartiles earlierDesign,
        Quartiles library,
        @Nullable Promise promise) {

    /** A bound on the median. */
    record Promise(boolean isLowerBound, double bound) {

        static Promise atLeast(double bound) {
            return new Promise(true, bound);
        }

        static Promise atMost(double bound) {
            return new Promise(false, bound);
        }

        boolean keptBy(Quartiles value) {
            return isLowerBound ? value.median() >= bound : value.median() <= bound;
        }
    }

    boolean missed() {
        return promise != null && !promise.keptBy(library);
    }

    String promised() {
        return promise == null ? "" : (promise.isLowerBound() ? ">= " : "<= ") + unit.format(promise.bound());
    }

    /** Returns the value and the bound of a missed promise. */
    String miss() {
        boolean looksKept = promise != null && unit.format(library.median()).equals(unit.format(promise.bound()));
        return name + ": " + (looksKept ? unit.formatExactly(library.median()) : unit.format(library)) + ", promised "
                + promised();
    }

    String verdict() {
        return promise == null ? "" : missed() ? "MISS" : "PASS";
    }

    /** Returns a table of rows. The column of the earlier design is left out if no row has a value for it. */
    static Table table(String title, List<Row> rows) {
        boolean hasEarlierDesign = rows.stream().anyMatch(row -> row.earlierDesign != null);
        List<String> head = new ArrayList<>(List.of("measurement", "unit", "this library", "promised", "verdict"));
        if (hasEarlierDesign) {
            head.add(2, "earlier design");
        }
        return new Table(
                title,
                head,
                rows.stream().map(row -> row.cells(hasEarlierDesign)).toList(),
                List.of());
    }

    private List<String> cells(boolean withEarlierDesign) {
        List<String> cells =
                new ArrayList<>(List.of(name, unit.description(), unit.format(library), promised(), verdict()));
        if (withEarlierDesign) {
            cells.add(2, earlierDesign == null ? "" : unit.format(earlierDesign));
        }
        return cells;
    }
}
