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

/** Is the report whole, and does it need nothing else? */
class HtmlReportTest {

    static Stream<Scenario> scenarios() {
        return Scenarios.ALL.stream();
    }

    private static String report(Scenario scenario, Outcome outcome) {
        return new HtmlReport(Figures.options(scenario), outcome, Figures.MACHINE).text();
    }

    private static Document parse(String page) throws Exception {
        DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        builder.setErrorHandler(null);
        return builder.parse(new InputSource(new StringReader(page)));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void isWellFormedAndHasAChartForEveryRowAndOneForTheFocus(Scenario scenario) throws Exception {
        Document page = parse(report(scenario, Figures.outcome(scenario, 1500, 0.3)));
        assertThat(page.getElementsByTagName("svg").getLength())
                .isEqualTo(scenario.roles().size() + 1);
        assertThat(page.getElementsByTagName("polyline").getLength())
                .isEqualTo(2 * (scenario.roles().size() + 1));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void needsNothingFromAnywhere(Scenario scenario) {
        assertThat(report(scenario, Figures.outcome(scenario, 1500, 0.3)))
                .doesNotContain("http", "src=", "href", "url(", "@import", "<script", "<link", "NaN", "Infinity");
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void hasVerdictFiguresParametersAndMachine(Scenario scenario) throws Exception {
        Outcome outcome = Figures.outcome(scenario, 1500, 0.3);
        String text = parse(report(scenario, outcome)).getDocumentElement().getTextContent();
        assertThat(text)
                .contains(scenario.verdict(outcome))
                .contains("1.50 s", "0.3 ms")
                .contains("--scenario " + scenario.name() + " --seconds 10 --seed 42")
                .contains("Some <system> & more; 2 processors; Some \"Java\"; 2026-01-02T03:04:05Z");
        scenario.traffic().forEach(traffic -> assertThat(text).contains(traffic.describe()));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void timesTooShortToTellAreWellFormedToo(Scenario scenario) throws Exception {
        Document page = parse(report(scenario, Figures.outcome(scenario, 1500, 0.01)));
        assertThat(page.getDocumentElement().getTextContent()).contains("<0.1 ms");
    }

    @Test
    void followsTheReadersChoiceOfLightOrDark() {
        Scenario isolation = Scenarios.ALL.get(0);
        assertThat(report(isolation, Figures.outcome(isolation, 1, 1)))
                .contains("prefers-color-scheme: dark")
                .contains("color-scheme: light dark");
    }

    @Test
    void aRunWithoutAnyWaitIsAPageToo() throws Exception {
        Scenario isolation = Scenarios.ALL.get(0);
        List<RowOutcome> rows = isolation.roles().stream()
                .map(role -> new RowOutcome(role, List.of(), 0, 0, 0, 0, 0, 0, 0, 0))
                .toList();
        Outcome nothing = new Outcome(new SideOutcome("a", rows, 0), new SideOutcome("b", rows, 0));
        String page = report(isolation, nothing);
        assertThat(parse(page).getElementsByTagName("polyline").getLength()).isZero();
        assertThat(page).doesNotContain("NaN");
    }

    @Test
    void theLongestWaitIsAtTheTopAndTheShortestAtTheBottom() throws Exception {
        TimeChart chart = new TimeChart(500, 232, 1000, 1000);
        List<Sample> samples = List.of(new Sample(0, 1000, true), new Sample(999, 0.001, true));
        Document svg = parse(chart.svg("waits", List.of(new TimeChart.Series("side", "plain", samples))));
        String points = svg.getElementsByTagName("polyline")
                .item(0)
                .getAttributes()
                .getNamedItem("points")
                .getNodeValue();
        assertThat(points).isEqualTo("52.0,10.0 487.6,210.0");
    }
}
