package io.github.kobe.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Are arguments parsed, and wrong ones reported? */
class BenchmarkOptionsTest {

    private static final String DEFAULT_RESULTS = "default.md";

    @Test
    void defaultsToAFullRunOfAllChaptersWithTheDefaultReport() {
        BenchmarkOptions options = BenchmarkOptions.parse(DEFAULT_RESULTS);

        assertThat(options.chapters()).isEqualTo(Chapter.ALL);
        assertThat(options.length().quick()).isFalse();
        assertThat(options.results()).isEqualTo(Path.of(DEFAULT_RESULTS));
        assertThat(options.otherCore()).isNull();
        assertThat(options.arguments()).isEmpty();
    }

    @Test
    void argumentsRepeatAQuickRun() {
        BenchmarkOptions options = BenchmarkOptions.parse(DEFAULT_RESULTS, "--quick");

        assertThat(options.length().quick()).isTrue();
        assertThat(options.arguments()).isEqualTo("--quick");
    }

    @Test
    void someChaptersWriteNoReportByDefault() {
        BenchmarkOptions options = BenchmarkOptions.parse(DEFAULT_RESULTS, "--only", "growth,peers");

        assertThat(options.chapters()).extracting(Chapter::name).containsExactly("growth", "peers");
        assertThat(options.results()).isNull();
        assertThat(options.arguments()).isEqualTo("--only growth,peers");
    }

    @Test
    void someChaptersAreWrittenToTheGivenFile() {
        assertThat(BenchmarkOptions.parse(DEFAULT_RESULTS, "--only", "drain", "--results", "other.md")
                        .results())
                .isEqualTo(Path.of("other.md"));
    }

    @Test
    void compareTakesAnotherCoreAndWritesNoReport() {
        BenchmarkOptions options =
                BenchmarkOptions.parse(DEFAULT_RESULTS, "--compare", "old/core.jar", "--only", "dispatch", "--quick");

        assertThat(options.otherCore()).isEqualTo(Path.of("old/core.jar"));
        assertThat(options.chapters()).extracting(Chapter::name).containsExactly("dispatch");
        assertThat(options.length().quick()).isTrue();
        assertThat(options.results()).isNull();
    }

    @Test
    void compareWithoutChaptersComparesAll() {
        BenchmarkOptions options = BenchmarkOptions.parse(DEFAULT_RESULTS, "--compare", "old");

        assertThat(options.chapters()).isEqualTo(Chapter.ALL);
        assertThat(options.results()).isNull();
    }

    @Test
    void helpNamesEveryChapter() {
        assertThat(BenchmarkOptions.parse(DEFAULT_RESULTS, "--help").help()).isTrue();
        assertThat(BenchmarkOptions.usage()).contains(Chapter.names());
    }

    @ParameterizedTest
    @CsvSource({
        "--fast, unknown argument '--fast'",
        "--only, '''--only'' needs a value after it'",
        "--results, '''--results'' needs a value after it'",
        "--compare, '''--compare'' needs a value after it'",
        "--only --quick, '''--only'' needs a value after it'",
        "--only lunch, unknown chapter 'lunch'",
        "'--only drain,', unknown chapter ''",
        "--compare old --results other.md, '--compare writes no report, so it excludes --results'",
    })
    void wrongArgumentsAreNamedInOneLine(String args, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BenchmarkOptions.parse(DEFAULT_RESULTS, args.split(" ", -1)))
                .withMessageStartingWith(message)
                .withMessageNotContaining("\n");
    }

    @Test
    void chapterNamesAreUnique() {
        assertThat(Chapter.names()).doesNotHaveDuplicates();
    }
}
