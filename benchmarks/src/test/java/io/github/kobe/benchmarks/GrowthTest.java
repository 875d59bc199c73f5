package io.github.kobe.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.DoubleStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/** Does the verdict on growth follow from the measured ratios? */
class GrowthTest {

    private static Growth.Line line(String name, double... ratios) {
        return new Growth.Line(
                name, DoubleStream.of(ratios).mapToObj(Quartiles::of).toList());
    }

    private static Growth.Panel panel(double library, double... peers) {
        return new Growth.Panel(
                "things",
                new int[] {10, 1_000},
                line("library", 1, library),
                DoubleStream.of(peers).mapToObj(peer -> line("peer", 1, peer)).toList());
    }

    @Test
    void littleGrowthIsFlat() {
        assertThat(Growth.verdict(panel(1.2, 1))).startsWith("Flat");
    }

    @Test
    void growthThatPeersShareIsAttributedToMemory() {
        assertThat(Growth.verdict(panel(1.8, 1.6)))
                .startsWith("Not flat: up to 1.80 times")
                .contains("no more than the cost of memory");
    }

    @Test
    void growthThatPeersDoNotShareIsReported() {
        assertThat(Growth.verdict(panel(3, 1)))
                .startsWith("Not flat")
                .contains("more than the cost of memory of the same size explains");
    }

    @Test
    void thePeerThatGrowsMostIsTheReference() {
        assertThat(Growth.verdict(panel(4, 1, 3)))
                .contains("up to 1.00 times", "up to 3.00 times", "no more than the cost of memory");
    }

    @Test
    void theChartHasALineForEachCandidate() throws Exception {
        String svg = GrowthChart.of(List.of(panel(1.2, 1), panel(3, 1, 2)));

        Document picture = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        assertThat(picture.getElementsByTagName("polyline").getLength()).isEqualTo(5);
    }
}
