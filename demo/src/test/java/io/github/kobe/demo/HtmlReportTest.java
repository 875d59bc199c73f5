package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** Is the report complete, well-formed and self-contained? */
class HtmlReportTest {

    static Stream<Scenario> scenarios() {
        return Scenarios.ALL.stream();
    }

    private static String report(Scenario scenario, RunResult result) {
        return new HtmlReport(TestData.options(scenario), result, TestData.MACHINE).text();
    }

    private static Document parse(String page) throws Exception {
        DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        builder.setErrorHandler(null);
        return builder.parse(new InputSource(new StringReader(page)));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void isWellFormedAndHasAChartForEveryRowAndOneForTheFocus(Scenario scenario) throws Exception {
        Document page = parse(report(scenario, TestData.result(scenario, 1500, 0.3)));
        assertThat(page.getElementsByTagName("svg").getLength())
                .isEqualTo(scenario.sources().size() + 1);
        assertThat(page.getElementsByTagName("polyline").getLength())
                .isEqualTo(2 * (scenario.sources().size() + 1));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void needsNoOtherResource(Scenario scenario) {
        assertThat(report(scenario, TestData.result(scenario, 1500, 0.3)))
                .doesNotContain("http", "src=", "href", "url(", "@import", "<script", "<link", "NaN", "Infinity");
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void hasVerdictStatisticsParametersAndMachine(Scenario scenario) throws Exception {
        RunResult result = TestData.result(scenario, 1500, 0.3);
        String text = parse(report(scenario, result)).getDocumentElement().getTextContent();
        assertThat(text)
                .contains(scenario.verdict(result))
                .contains("1.50 s", "0.3 ms")
                .contains("--scenario " + scenario.name() + " --seconds 10 --seed 42")
                .contains("Some <system> & more; 2 processors; Some \"Java\"; 2026-01-02T03:04:05Z");
        scenario.traffic().forEach(traffic -> assertThat(text).contains(traffic.describe()));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void veryShortTimesAreEscaped(Scenario scenario) throws Exception {
        Document page = parse(report(scenario, TestData.result(scenario, 1500, 0.01)));
        assertThat(page.getDocumentElement().getTextContent()).contains("<0.1 ms");
    }

    @Test
    void followsTheReadersChoiceOfLightOrDark() {
        Scenario isolation = Scenarios.ALL.get(0);
        assertThat(report(isolation, TestData.result(isolation, 1, 1)))
                .contains("prefers-color-scheme: dark")
                .contains("color-scheme: light dark");
    }

    @Test
    void aRunWithoutAnyWaitIsAValidPage() throws Exception {
        Scenario isolation = Scenarios.ALL.get(0);
        List<SourceResult> rows = isolation.sources().stream()
                .map(source -> new SourceResult(source, List.of(), 0, 0, 0, 0, 0, 0, 0, 0))
                .toList();
        RunResult empty = new RunResult(new ExecutorResult("a", rows, 0), new ExecutorResult("b", rows, 0));
        String page = report(isolation, empty);
        assertThat(parse(page).getElementsByTagName("polyline").getLength()).isZero();
        assertThat(page).doesNotContain("NaN");
    }

    @Test
    void theLongestWaitIsAtTheTopAndTheShortestAtTheBottom() throws Exception {
        TimeChart chart = new TimeChart(500, 232, 1000, 1000);
        List<WaitSample> waits = List.of(new WaitSample(0, 1000, true), new WaitSample(999, 0.001, true));
        Document svg = parse(chart.svg("waits", List.of(new TimeChart.Series("executor", "plain", waits))));
        String points = svg.getElementsByTagName("polyline")
                .item(0)
                .getAttributes()
                .getNamedItem("points")
                .getNodeValue();
        assertThat(points).isEqualTo("52.0,10.0 487.6,210.0");
    }
}
