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

class ResultsTest {

    private static final Machine MACHINE = new Machine(2, 4096, 1024, "a VM 25", "an OS", "a collector");
    private static final Chapter CHAPTER = new Chapter("one", "a chapter", effort -> Findings.ofRows(List.of()));
    private static final Row KEPT =
            new Row("kept", Unit.TIMES, Spread.of(0.5), new Spread(1, 1.1, 1.2), Promise.atLeast(1));
    private static final Row MISSED = new Row("too large", Unit.BYTES, null, Spread.of(120), Promise.atMost(96));
    private static final Row PLAIN = new Row("by the way", Unit.MILLIS, null, Spread.of(3), null);

    private static Results of(Findings findings, String... args) {
        return new Results(Options.parse(null, args), MACHINE, Map.of(CHAPTER, findings), 12);
    }

    private static String page(Findings findings, String... args) {
        return of(findings, args).markdown(LocalDate.of(2026, 1, 2));
    }

    @Test
    void saysWhereItComesFrom() {
        assertThat(page(Findings.ofRows(List.of(KEPT)), "--quick"))
                .contains("mvn -q compile exec:exec -pl benchmarks -am -Dbench.args=\"--quick\"")
                .contains("Quick run of 12 s on 2026-01-02: 2 processors, 4,096 MB of memory, an OS; a VM 25");
    }

    @Test
    void keptPromisesAreCountedAndShown() {
        assertThat(page(Findings.ofRows(List.of(KEPT, PLAIN))))
                .contains("All 1 promised figures are reached.")
                .contains("## A chapter")
                .contains("| figure | seed-like | ours | promised | verdict |")
                .contains("| kept | 0.50x | 1.10x (1.00..1.20) | >= 1.00x | PASS |")
                .contains("| by the way |  | 3.0 ms |  |  |");
    }

    @Test
    void missedPromisesAreListedFirst() {
        assertThat(page(Findings.ofRows(List.of(KEPT, MISSED))))
                .contains("1 of 2 promised figures are missed:\n\n- too large: 120 B, promised <= 96.0 B\n")
                .contains("| too large |  | 120 B | &lt;= 96.0 B | MISS |");
    }

    @Test
    void promisesThatAreMissedByLittleDoNotLookKept() {
        Row almost = new Row("almost", Unit.TIMES, null, Spread.of(0.948), Promise.atLeast(0.95));
        assertThat(page(Findings.ofRows(List.of(almost)))).contains("- almost: 0.9480x, promised >= 0.95x\n");
    }

    @Test
    void chaptersThatFoundNothingAreLeftOut() {
        assertThat(page(Findings.ofRows(List.of()))).doesNotContain("A chapter");
    }

    @Test
    void chaptersThatFailedSayWhy() {
        Findings failed = Findings.failed("somebody lost a task");

        assertThat(failed.good()).isFalse();
        assertThat(page(failed)).contains("## A chapter\n\nCould not be measured: somebody lost a task\n");
    }

    @Test
    void chartsGoBesideThePage(@TempDir Path folder) throws IOException {
        Table table = new Table("title", List.of("a", "b"), List.of(List.of("1", "2")), List.of("a note"));
        of(new Findings(List.of(), List.of(table), Map.of("chart.svg", "<svg/>")))
                .write(folder.resolve("page.md"));

        assertThat(folder.resolve("chart.svg")).hasContent("<svg/>");
        assertThat(Files.readString(folder.resolve("page.md")))
                .contains("![a chapter](chart.svg)", "| a | b |\n|---|---|\n| 1 | 2 |\n\na note\n");
    }

    @Test
    void columnsOfATextTableLineUp() {
        Table table = new Table("title", List.of("a", "long"), List.of(List.of("wide cell", "2")), List.of());

        assertThat(table.text()).isEqualTo("""
                title
                a         | long
                ----------------
                wide cell | 2
                """);
    }

    @Test
    void aLineMustFitTheHead() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Table("", List.of("a"), List.of(List.of("1", "2")), List.of()))
                .withMessageContaining("[1, 2]");
    }
}
