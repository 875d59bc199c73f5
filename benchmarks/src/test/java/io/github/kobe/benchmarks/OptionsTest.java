package io.github.kobe.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {

    private static final String PLACE = "place.md";

    @Test
    void nothingMeansAllOfItInFullToWhereTheBuildSays() {
        Options options = Options.parse(PLACE);

        assertThat(options.chapters()).isEqualTo(Chapter.ALL);
        assertThat(options.effort().quick()).isFalse();
        assertThat(options.results()).isEqualTo(Path.of(PLACE));
        assertThat(options.arguments()).isEmpty();
    }

    @Test
    void quickIsSaidAgain() {
        Options options = Options.parse(PLACE, "--quick");

        assertThat(options.effort().quick()).isTrue();
        assertThat(options.arguments()).isEqualTo("--quick");
    }

    @Test
    void someChaptersLeaveTheReportAlone() {
        Options options = Options.parse(PLACE, "--only", "growth,peers");

        assertThat(options.chapters()).extracting(Chapter::name).containsExactly("growth", "peers");
        assertThat(options.results()).isNull();
        assertThat(options.arguments()).isEqualTo("--only growth,peers");
    }

    @Test
    void someChaptersAreWrittenWhereAskedFor() {
        assertThat(Options.parse(PLACE, "--only", "drain", "--results", "other.md")
                        .results())
                .isEqualTo(Path.of("other.md"));
    }

    @Test
    void helpNamesEveryChapter() {
        assertThat(Options.parse(PLACE, "--help").help()).isTrue();
        assertThat(Options.usage()).contains(Chapter.names());
    }

    @ParameterizedTest
    @CsvSource({
        "--fast, unknown argument '--fast'",
        "--only, nothing after '--only'",
        "--results, nothing after '--results'",
        "--only --quick, nothing after '--only'",
        "--only lunch, unknown chapter 'lunch'",
        "'--only drain,', unknown chapter ''",
    })
    void whatIsWrongIsNamedInOneLine(String args, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(PLACE, args.split(" ", -1)))
                .withMessageStartingWith(message)
                .withMessageNotContaining("\n");
    }

    @Test
    void chaptersHaveNamesOfTheirOwn() {
        assertThat(Chapter.names()).doesNotHaveDuplicates();
    }
}
