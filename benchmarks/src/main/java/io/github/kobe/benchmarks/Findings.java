package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Map;

/**
 * What a chapter found out.
 *
 * @param rows figures, those that were promised among them
 * @param tables what does not fit into the one table of figures
 * @param charts pictures, by the name of the file that they are to be in
 */
record Findings(List<Row> rows, List<Table> tables, Map<String, String> charts) {

    Findings {
        rows = List.copyOf(rows);
        tables = List.copyOf(tables);
        charts = Map.copyOf(charts);
    }

    static Findings ofRows(List<Row> rows) {
        return new Findings(rows, List.of(), Map.of());
    }
}
