package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How does a snapshot look on the screen? */
class SnapshotFormatterTest {

    private static final Style PLAIN = Style.of(true, false);
    private static final Style COLOURED = Style.of(true, true);
    private static final Pattern ESCAPE = Pattern.compile("\033\\[[0-9]+m");

    static Stream<Scenario> scenarios() {
        return Scenarios.ALL.stream();
    }

    private static List<String> lines(Scenario scenario, Style style, Snapshot snapshot) {
        return new SnapshotFormatter(scenario, Duration.ofSeconds(10), 42, style).lines(snapshot);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void fitsATerminalOf80By24EvenWithLargeNumbers(Scenario scenario) {
        Snapshot large = TestData.snapshot(scenario, 9_999, 999, 9_999, 99_999);
        List<String> lines = lines(scenario, PLAIN, large);
        assertThat(lines).hasSizeLessThan(24).allMatch(line -> line.length() < 80);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void coloursChangeNothingElse(Scenario scenario) {
        Snapshot snapshot = TestData.snapshot(scenario, 5_000, 20, 300, 1_500);
        List<String> coloured = lines(scenario, COLOURED, snapshot).stream()
                .map(line -> ESCAPE.matcher(line).replaceAll(""))
                .toList();
        assertThat(coloured).isEqualTo(lines(scenario, PLAIN, snapshot));
    }

    @Test
    void aRowShowsNumbersAndWaitOfBothExecutors() {
        Scenario isolation = Scenarios.ALL.get(0);
        List<String> lines = lines(isolation, PLAIN, TestData.snapshot(isolation, 5_000, 25, 200, 1_500));
        assertThat(lines)
                .anySatisfy(line -> assertThat(line)
                        .isEqualTo("  fast1     ██▌    25  ████      200  1.50 s  ▏       1              0  0.1 ms"));
        assertThat(lines)
                .anySatisfy(line -> assertThat(line)
                        .matches(" +fast tenants, p99 so far  1.50 s  fast tenants, p99 so far  0.1 ms"));
        assertThat(lines).last().asString().contains("50%").contains("5 s left");
    }

    @Test
    void totalsAreSums() {
        Scenario isolation = Scenarios.ALL.get(0);
        List<String> lines = lines(isolation, PLAIN, TestData.snapshot(isolation, 5_000, 5, 20, 1));
        assertThat(lines)
                .filteredOn(line -> line.startsWith("  all"))
                .singleElement()
                .asString()
                .matches("  all +50 +200 +10 +0");
    }

    @ParameterizedTest
    @CsvSource({
        "0,    '    '",
        "0.001, '▏   '",
        "0.125, '▌   '",
        "0.25, '█   '",
        "0.5, '██  '",
        "0.99, '████'",
        "1, '████'",
        "7, '████'",
    })
    void aBarIsVisibleUnlessItsValueIsZero(double fraction, String bar) {
        assertThat(PLAIN.bar(fraction, 4)).isEqualTo(bar);
    }

    @Test
    void withoutUnicodeBarsAreHashes() {
        assertThat(Style.of(false, false).bar(0.3, 4)).isEqualTo("##  ");
        assertThat(Style.of(false, false).progress(0.5, 4)).isEqualTo("##..");
    }

    @Test
    void longWaitsAreRedAndGoodOnesGreen() {
        Scenario isolation = Scenarios.ALL.get(0);
        String row = lines(isolation, COLOURED, TestData.snapshot(isolation, 5_000, 25, 200, 1_500))
                .get(6);
        assertThat(row).contains("\033[31m 1.50 s").contains("\033[32m 0.1 ms");
    }

    @Test
    void progressEndsWithNothingLeft() {
        Scenario isolation = Scenarios.ALL.get(0);
        assertThat(lines(isolation, PLAIN, TestData.snapshot(isolation, 10_000, 0, 0, 0)))
                .last()
                .asString()
                .contains("100%")
                .contains("0 s left")
                .doesNotContain("░");
    }
}
