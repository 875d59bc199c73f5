package io.github.kobe.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.kobe.benchmarks.Row.Promise;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Does the report show every result, and missed promises first? */
class MarkdownReportTest {

    private static final Machine MACHINE = new Machine(2, 4096, 1024, "a VM 25", "an OS", "a collector");
    private static final Chapter CHAPTER =
            new Chapter("one", "a chapter", length -> ChapterResult.ofRows(List.of()), length -> List.of());
    private static final Row KEPT =
            new Row("kept", Unit.SPEEDUP, Quartiles.of(0.5), new Quartiles(1, 1.1, 1.2), Promise.atLeast(1));
    private static final Row MISSED = new Row("too large", Unit.BYTES, null, Quartiles.of(120), Promise.atMost(96));
    private static final Row INFORMATION = new Row("for information", Unit.MILLIS, null, Quartiles.of(3), null);

    private static MarkdownReport report(ChapterResult result, String... args) {
        return new MarkdownReport(BenchmarkOptions.parse(null, args), MACHINE, Map.of(CHAPTER, result), 12);
    }

    private static String page(ChapterResult result, String... args) {
        return report(result, args).text(LocalDate.of(2026, 1, 2));
    }

    @Test
    void namesCommandDateAndMachine() {
        assertThat(page(ChapterResult.ofRows(List.of(KEPT)), "--quick"))
                .contains("mvn -q test-compile exec:exec -pl benchmarks -am -Dbench.args=\"--quick\"")
                .contains("Quick run of 12 s on 2026-01-02: 2 processors, 4,096 MB of memory, an OS; a VM 25");
    }

    @Test
    void keptPromisesAreCountedAndShown() {
        assertThat(page(ChapterResult.ofRows(List.of(KEPT, INFORMATION))))
                .contains("All 1 promises are kept.")
                .contains("## A chapter")
                .contains("| measurement | unit | earlier design | this library | promised | verdict |")
                .contains("| kept | x, higher is faster | 0.50x | 1.10x (1.00..1.20) | >= 1.00x | PASS |")
                .contains("| for information | ms, lower is better |  | 3.0 ms |  |  |");
    }

    @Test
    void missedPromisesAreListedFirst() {
        assertThat(page(ChapterResult.ofRows(List.of(KEPT, MISSED))))
                .contains("1 of 2 promises are missed:\n\n- too large: 120 B, promised <= 96.0 B\n")
                .contains("| too large | B, lower is better |  | 120 B | &lt;= 96.0 B | MISS |");
    }

    @Test
    void aPromiseThatIsBarelyMissedDoesNotLookKept() {
        Row almost = new Row("almost", Unit.SPEEDUP, null, Quartiles.of(0.948), Promise.atLeast(0.95));
        assertThat(page(ChapterResult.ofRows(List.of(almost)))).contains("- almost: 0.9480x, promised >= 0.95x\n");
    }

    @ParameterizedTest
    @EnumSource
    void everyUnitNamesItsDirection(Unit unit) {
        assertThat(unit.description()).matches("\\S+, (higher|lower) is (better|faster)");
    }

    @Test
    void chaptersWithoutResultsAreLeftOut() {
        assertThat(page(ChapterResult.ofRows(List.of()))).doesNotContain("A chapter");
    }

    @Test
    void failedChaptersNameTheReason() {
        ChapterResult failed = ChapterResult.failed("a task was lost");

        assertThat(failed.passed()).isFalse();
        assertThat(page(failed)).contains("## A chapter\n\nCould not be measured: a task was lost\n");
    }

    @Test
    void chartsAreWrittenNextToThePage(@TempDir Path directory) throws IOException {
        Table table = new Table("title", List.of("a", "b"), List.of(List.of("1", "2")), List.of("a note"));
        report(new ChapterResult(List.of(), List.of(table), Map.of("chart.svg", "<svg/>")))
                .write(directory.resolve("page.md"));

        assertThat(directory.resolve("chart.svg")).hasContent("<svg/>");
        assertThat(Files.readString(directory.resolve("page.md")))
                .contains("![a chapter](chart.svg)", "| a | b |\n|---|---|\n| 1 | 2 |\n\na note\n");
    }

    @Test
    void columnsOfATextTableAreAligned() {
        Table table = new Table("title", List.of("a", "long"), List.of(List.of("wide cell", "2")), List.of());

        assertThat(table.text()).isEqualTo("""
                title
                a         | long
                ----------------
                wide cell | 2
                """);
    }

    @Test
    void aLineMustHaveAsManyCellsAsTheHead() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Table("", List.of("a"), List.of(List.of("1", "2")), List.of()))
                .withMessageContaining("[1, 2]");
    }
}
