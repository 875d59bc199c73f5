package io.github.kobe.benchmarks;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of a chapter.
 *
 * @param rows measured values, with or without a promise
 * @param tables further tables
 * @param charts SVG charts by file name
 * @param failure why the chapter could not be measured; {@code null} if it could
 */
record ChapterResult(
        List<Row> rows,
        List<Table> tables,
        Map<String, String> charts,
        @Nullable String failure) {

    ChapterResult {
        rows = List.copyOf(rows);
        tables = List.copyOf(tables);
        charts = Map.copyOf(charts);
    }

    ChapterResult(List<Row> rows, List<Table> tables, Map<String, String> charts) {
        this(rows, tables, charts, null);
    }

    static ChapterResult ofRows(List<Row> rows) {
        return new ChapterResult(rows, List.of(), Map.of());
    }

    static ChapterResult failed(String reason) {
        return new ChapterResult(List.of(), List.of(), Map.of(), reason);
    }

    /** Returns whether the chapter was measured and no promise was missed. */
    boolean passed() {
        return failure == null && rows.stream().noneMatch(Row::missed);
    }
}
