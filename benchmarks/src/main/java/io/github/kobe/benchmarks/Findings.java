package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a chapter found out.
 *
 * @param rows figures, those that were promised among them
 * @param tables what does not fit into the one table of figures
 * @param charts pictures, by the name of the file that they are to be in
 * @param failure why it could not be measured; {@code null} if it could
 */
record Findings(
        List<Row> rows,
        List<Table> tables,
        Map<String, String> charts,
        @Nullable String failure) {

    Findings {
        rows = List.copyOf(rows);
        tables = List.copyOf(tables);
        charts = Map.copyOf(charts);
    }

    Findings(List<Row> rows, List<Table> tables, Map<String, String> charts) {
        this(rows, tables, charts, null);
    }

    static Findings ofRows(List<Row> rows) {
        return new Findings(rows, List.of(), Map.of());
    }

    static Findings failed(String why) {
        return new Findings(List.of(), List.of(), Map.of(), why);
    }

    /** Whether all was measured, and no promise missed. */
    boolean good() {
        return failure == null && rows.stream().noneMatch(Row::missed);
    }
}
