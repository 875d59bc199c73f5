package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Does the verdict follow from the figures, also if they are not to our liking? */
class VerdictTest {

    private static final Style PLAIN = Style.of(true, false);

    static Stream<Scenario> scenarios() {
        return Scenarios.ALL.stream();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    1500 | 0.5  | 0.5 ms instead of 1.50 s, 3,000 times less
                    2    | 1    | 1.0 ms instead of 2.0 ms, 2.0 times less
                    10   | 9    | 9.0 ms instead of 10 ms, about the same
                    9    | 10   | 10 ms instead of 9.0 ms, about the same
                    1    | 30   | 30 ms instead of 1.0 ms, 30 times more
                    0    | 0    | 0 ms instead of 0 ms, about the same
                    0.01 | 0.04 | <0.1 ms instead of <0.1 ms, about the same
                    """)
    void timesAreComparedWhicheverIsLonger(double plain, double ours, String words) {
        assertThat(Compare.times(plain, ours)).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    510 | 463 | 463 s of work done instead of 510 s, 91 % of it
                    20  | 30  | 30 s of work done instead of 20 s, 150 % of it
                    0   | 0   | 0 ms of work done instead of 0 ms
                    """)
    void workIsComparedAlsoIfThereIsNone(double plain, double ours, String words) {
        assertThat(Compare.work(plain, ours)).isEqualTo(words);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void saysSoIfThePlainSideDidBetter(Scenario scenario) {
        assertThat(scenario.verdict(Figures.outcome(scenario, 1000, 10))).contains("100 times less");
        assertThat(scenario.verdict(Figures.outcome(scenario, 10, 1000)))
                .contains("100 times more")
                .doesNotContain("less");
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void isATableOfAllKindsInUnder80Columns(Scenario scenario) {
        Outcome outcome = Figures.outcome(scenario, 99_999, 0.1);
        List<String> lines = new VerdictTable(scenario, PLAIN).lines(outcome);
        assertThat(lines).allMatch(line -> line.length() < 80);
        outcome.kinds().forEach(kind -> assertThat(lines).contains("  " + kind));
        assertThat(lines).anyMatch(line -> line.contains("not over at the end"));
        assertThat(String.join(" ", lines).replaceAll(" +", " ")).contains(scenario.verdict(outcome));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void nothingIsBrokenByDefault(Scenario scenario) {
        Outcome outcome = Figures.outcome(scenario, 1, 1);
        assertThat(scenario.broken(outcome.ours())).isEmpty();
        assertThat(new VerdictTable(scenario, PLAIN).lines(outcome)).noneMatch(line -> line.contains("BROKEN"));
    }

    @Test
    void aLimitThatWasExceededIsBroken() {
        Scenario limits = Scenarios.named("limits").orElseThrow();
        Outcome fine = Figures.outcome(limits, 1, 1);
        RowOutcome first = fine.ours().rows().get(0);
        RowOutcome exceeded = new RowOutcome(first.role(), first.samples(), 100, 99, 7, 3, 10, 0, 0, 0);
        Outcome outcome = new Outcome(fine.plain(), Figures.withRow(fine.ours(), exceeded));
        assertThat(new VerdictTable(limits, PLAIN).lines(outcome)).contains("  BROKEN: checkout ran 7 at once, 6 may");
        assertThat(limits.verdict(outcome)).contains("0 calls began").contains("3 on GroupExecutor");
    }

    @Test
    void aCallThatOutlivedItsScopeIsBroken() {
        Scenario scope = Scenarios.named("scope").orElseThrow();
        Outcome fine = Figures.outcome(scope, 1, 1);
        RowOutcome first = fine.ours().rows().get(0);
        RowOutcome leaky = new RowOutcome(first.role(), first.samples(), 100, 99, 1, 0, 10, 2, 0, 1.5);
        Outcome outcome = new Outcome(fine.plain(), Figures.withRow(fine.ours(), leaky));
        assertThat(scope.broken(outcome.ours())).containsExactly("2 calls outlived their scope, none may");
        assertThat(scope.verdict(outcome))
                .contains("With futures no call outlived its request")
                .contains("2 calls outlived their requests and ran 1.50 s for nobody");
    }

    @ParameterizedTest
    @CsvSource({"isolation,51", "limits,17", "priorities,9"})
    void moreAtOnceThanThereArePlacesIsBroken(String name, int peak) {
        Scenario scenario = Scenarios.named(name).orElseThrow();
        SideOutcome ours = Figures.outcome(scenario, 1, 1).ours();
        assertThat(scenario.broken(new SideOutcome(ours.title(), ours.rows(), peak - 1)))
                .isEmpty();
        assertThat(scenario.broken(new SideOutcome(ours.title(), ours.rows(), peak)))
                .containsExactly(peak + " ran at once, " + (peak - 1) + " may");
    }

    @Test
    void aNumberAndItsUnitStayTogether() {
        String text = "x".repeat(70) + " 12 ms and 5 % more";
        assertThat(VerdictTable.wrap(text)).containsExactly("x".repeat(70) + " 12 ms", "and 5 % more");
        assertThat(VerdictTable.wrap("x".repeat(73) + " 12 ms")).containsExactly("x".repeat(73), "12 ms");
    }
}
