package io.tickwheel.benchmarks.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tickwheel.benchmarks.wheel.BarChart.Bar;
import io.tickwheel.benchmarks.wheel.BarChart.Kind;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class BarChartTest {

    @Test
    void barsAreAsLongAsTheirValues() throws Exception {
        List<Element> bars = bars(chart(new Bar("a", 50, 50, 50, Kind.OURS), new Bar("b", 100, 100, 100, Kind.PEER)));
        assertThat(bars).extracting(bar -> bar.getAttribute("class")).containsExactly("ours", "peer");
        double a = Double.parseDouble(bars.get(0).getAttribute("width"));
        double b = Double.parseDouble(bars.get(1).getAttribute("width"));
        assertThat(a * 2).isEqualTo(b);
    }

    @Test
    void theHighestRoundHasRoomToo() throws Exception {
        Document svg = parse(chart(new Bar("a", 10, 9, 1_000, Kind.OURS)));
        double width = Double.parseDouble(svg.getDocumentElement().getAttribute("width"));
        NodeList lines = svg.getElementsByTagName("line");
        for (int i = 0; i < lines.getLength(); i++) {
            assertThat(Double.parseDouble(((Element) lines.item(i)).getAttribute("x2")))
                    .isLessThan(width);
        }
    }

    @Test
    void saysEveryLabelAndValueInWords() throws Exception {
        String svg = chart(new Bar("<&\"", 1234, 1200, 1300, Kind.FLOOR)).svg();
        assertThat(svg)
                .contains("&lt;&amp;&quot;")
                .contains(">1,234<")
                .contains(">a title<")
                .contains(">an axis<");
        assertThat(parse(new BarChart("t", "x", List.of(new Bar("<&\"", 0, 0, 0, Kind.OURS))))
                        .getDocumentElement()
                        .getTextContent())
                .contains("<&\"");
    }

    @Test
    void refusesToDrawNothing() {
        assertThatIllegalArgumentException().isThrownBy(BarChartTest::chart).withMessageContaining("a title");
    }

    private static BarChart chart(Bar... bars) {
        return new BarChart("a title", "an axis", List.of(bars));
    }

    private static List<Element> bars(BarChart chart) throws Exception {
        NodeList rectangles = parse(chart).getElementsByTagName("rect");
        List<Element> bars = new ArrayList<>();
        for (int i = 0; i < rectangles.getLength(); i++) {
            Element rectangle = (Element) rectangles.item(i);
            if (!rectangle.getAttribute("class").equals("ground")) {
                bars.add(rectangle);
            }
        }
        return bars;
    }

    private static Document parse(BarChart chart) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(chart.svg().getBytes(StandardCharsets.UTF_8)));
    }
}
