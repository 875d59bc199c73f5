package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Does the verdict follow from the result, whichever executor did better? */
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
    void comparesTimesInBothDirections(double plain, double library, String text) {
        assertThat(Comparison.ofTimes(plain, library)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    510 | 463 | 463 s of work done instead of 510 s, 91 % of it
                    20  | 30  | 30 s of work done instead of 20 s, 150 % of it
                    0   | 0   | 0 ms of work done instead of 0 ms
                    """)
    void comparesWorkEvenIfThereIsNone(double plain, double library, String text) {
        assertThat(Comparison.ofWork(plain, library)).isEqualTo(text);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void saysSoIfThePlainExecutorDidBetter(Scenario scenario) {
        assertThat(scenario.verdict(TestData.result(scenario, 1000, 10))).contains("100 times less");
        assertThat(scenario.verdict(TestData.result(scenario, 10, 1000)))
                .contains("100 times more")
                .doesNotContain("less");
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void listsAllKindsInUnder80Columns(Scenario scenario) {
        RunResult result = TestData.result(scenario, 99_999, 0.1);
        List<String> lines = new VerdictTable(scenario, PLAIN).lines(result);
        assertThat(lines).allMatch(line -> line.length() < 80);
        result.kinds().forEach(kind -> assertThat(lines).contains("  " + kind));
        assertThat(lines).anyMatch(line -> line.contains("still waiting at the end"));
        assertThat(String.join(" ", lines).replaceAll(" +", " ")).contains(scenario.verdict(result));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void nothingIsBrokenByDefault(Scenario scenario) {
        RunResult result = TestData.result(scenario, 1, 1);
        assertThat(scenario.brokenPromises(result.library())).isEmpty();
        assertThat(new VerdictTable(scenario, PLAIN).lines(result)).noneMatch(line -> line.contains("BROKEN"));
    }

    @Test
    void exceedingAGroupLimitBreaksAPromise() {
        Scenario limits = Scenarios.named("limits").orElseThrow();
        RunResult good = TestData.result(limits, 1, 1);
        SourceResult first = good.library().rows().get(0);
        SourceResult exceeded = new SourceResult(first.source(), first.waits(), 100, 99, 7, 3, 10, 0, 0, 0);
        RunResult result = new RunResult(good.plain(), TestData.withFirstRow(good.library(), exceeded));
        assertThat(new VerdictTable(limits, PLAIN).lines(result))
                .contains("  BROKEN: checkout ran 7 tasks at the same time, its limit is 6");
        assertThat(limits.verdict(result)).contains("0 calls started").contains("3 on GroupExecutor");
    }

    @Test
    void aCallThatOutlivesItsScopeBreaksAPromise() {
        Scenario scope = Scenarios.named("scope").orElseThrow();
        RunResult good = TestData.result(scope, 1, 1);
        SourceResult first = good.library().rows().get(0);
        SourceResult withOrphans = new SourceResult(first.source(), first.waits(), 100, 99, 1, 0, 10, 2, 0, 1.5);
        RunResult result = new RunResult(good.plain(), TestData.withFirstRow(good.library(), withOrphans));
        assertThat(scope.brokenPromises(result.library()))
                .containsExactly("2 calls outlived their scope, none is allowed to");
        assertThat(scope.verdict(result))
                .contains("With futures no call outlived its request")
                .contains("2 calls outlived their requests and ran 1.50 s in vain");
    }

    @ParameterizedTest
    @CsvSource({"isolation,51", "limits,17", "priorities,9"})
    void exceedingTheGlobalLimitBreaksAPromise(String name, int peak) {
        Scenario scenario = Scenarios.named(name).orElseThrow();
        ExecutorResult library = TestData.result(scenario, 1, 1).library();
        assertThat(scenario.brokenPromises(new ExecutorResult(library.title(), library.rows(), peak - 1)))
                .isEmpty();
        assertThat(scenario.brokenPromises(new ExecutorResult(library.title(), library.rows(), peak)))
                .containsExactly(peak + " tasks ran at the same time, the limit is " + (peak - 1));
    }

    @Test
    void aNumberAndItsUnitStayTogether() {
        String text = "x".repeat(70) + " 12 ms and 5 % more";
        assertThat(VerdictTable.wrap(text)).containsExactly("x".repeat(70) + " 12 ms", "and 5 % more");
        assertThat(VerdictTable.wrap("x".repeat(73) + " 12 ms")).containsExactly("x".repeat(73), "12 ms");
    }
}
