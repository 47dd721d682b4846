package io.tickwheel.benchmarks.wheel;

import io.tickwheel.benchmarks.Results;
import java.util.List;
import java.util.Locale;

/**
 * Horizontal bars as SVG, the value and what it is written beside each. A thin line goes from the lowest to the highest round.
 * The picture brings its own ground, so that it can be read wherever it is put, and a dark one where dark is preferred.
 */
record BarChart(String title, String axisTitle, List<Bar> bars) {

    /** Which colour a bar has. */
    enum Kind {
        OURS,
        PEER,
        FLOOR
    }

    record Bar(String label, double value, double lowest, double highest, Kind kind) {}

    private static final String STYLE = """
            <style>
              .ground { fill: #ffffff; stroke: #d0d7de; }
              text { font: 13px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #24292f; }
              .title { font-size: 15px; font-weight: 600; }
              .quiet { fill: #57606a; font-size: 12px; }
              .grid { stroke: #d8dee4; }
              .range { stroke: #24292f; stroke-width: 1.5; }
              .ours { fill: #1a7f64; }
              .peer { fill: #8c9bab; }
              .floor { fill: #c9d1d9; }
              @media (prefers-color-scheme: dark) {
                .ground { fill: #0d1117; stroke: #30363d; }
                text { fill: #e6edf3; }
                .quiet { fill: #9ea7b3; }
                .grid { stroke: #262c36; }
                .range { stroke: #e6edf3; }
                .ours { fill: #2fb892; }
                .peer { fill: #5b6776; }
                .floor { fill: #3d444d; }
              }
            </style>
            """;

    private static final int WIDTH = 760;
    private static final int LEFT = 232;
    private static final int RIGHT = 84;
    private static final int TOP = 52;
    private static final int ROW = 26;
    private static final int BAR = 16;
    private static final int BOTTOM = 50;

    BarChart {
        if (bars.isEmpty()) {
            throw new IllegalArgumentException("a chart without bars: " + title);
        }
    }

    String svg() {
        Axis axis = Axis.upTo(bars.stream().mapToDouble(Bar::highest).max().orElseThrow());
        int foot = TOP + bars.size() * ROW;
        int height = foot + BOTTOM;
        StringBuilder svg = new StringBuilder();
        svg.append(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">%n"
                        .formatted(WIDTH, height, WIDTH, height));
        svg.append("<title>%s</title>%n".formatted(escaped(title)));
        svg.append(STYLE);
        svg.append("<rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"6\"/>%n"
                .formatted(WIDTH - 1, height - 1));
        svg.append(text("title", 16, 28, "start", title));
        for (double mark : axis.marks()) {
            double x = x(axis, mark);
            svg.append(line("grid", x, TOP - 6, x, foot));
            svg.append(text("quiet", x, foot + 17, "middle", markText(mark)));
        }
        svg.append(text("quiet", x(axis, axis.end() / 2), foot + 37, "middle", axisTitle));
        for (int i = 0; i < bars.size(); i++) {
            append(svg, bars.get(i), axis, TOP + i * ROW);
        }
        return svg.append("</svg>\n").toString();
    }

    private static void append(StringBuilder svg, Bar bar, Axis axis, int top) {
        double middle = top + ROW / 2.0 - 2;
        svg.append(text("label", LEFT - 10, middle + 4.5, "end", bar.label));
        svg.append("<rect class=\"%s\" x=\"%d\" y=\"%s\" width=\"%s\" height=\"%d\" rx=\"2\"/>%n"
                .formatted(
                        bar.kind.name().toLowerCase(Locale.ROOT),
                        LEFT,
                        number(middle - BAR / 2.0),
                        number(Math.max(1, x(axis, bar.value) - LEFT)),
                        BAR));
        if (bar.highest > bar.lowest) {
            svg.append(line("range", x(axis, bar.lowest), middle, x(axis, bar.highest), middle));
        }
        double end = x(axis, Math.max(bar.value, bar.highest));
        svg.append(text("label", end + 7, middle + 4.5, "start", Results.format(bar.value)));
    }

    static double x(Axis axis, double value) {
        return LEFT + axis.share(value) * (WIDTH - LEFT - RIGHT);
    }

    private static String line(String style, double x1, double y1, double x2, double y2) {
        return "<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>%n"
                .formatted(style, number(x1), number(y1), number(x2), number(y2));
    }

    private static String text(String style, double x, double y, String anchor, String text) {
        return "<text class=\"%s\" x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>%n"
                .formatted(style, number(x), number(y), anchor, escaped(text));
    }

    private static String markText(double mark) {
        return mark == Math.rint(mark) ? String.format(Locale.ROOT, "%,.0f", mark) : Double.toString(mark);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
