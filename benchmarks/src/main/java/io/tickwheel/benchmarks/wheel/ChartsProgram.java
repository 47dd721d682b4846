package io.tickwheel.benchmarks.wheel;

import io.tickwheel.benchmarks.DataDirectory;
import io.tickwheel.benchmarks.LoadProgram;
import io.tickwheel.benchmarks.Options;
import io.tickwheel.benchmarks.Results;
import io.tickwheel.benchmarks.wheel.BarChart.Bar;
import io.tickwheel.benchmarks.wheel.BarChart.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Draws the figures of the wheel programs: one chart for each program, JDK, situation and measure, the bars in the order in
 * which the contenders were given.
 *
 * @param results where the files with the figures lie
 * @param charts where the pictures go
 * @param only draws only charts with this in their names
 */
record ChartsProgram(Path results, Path charts, String only) implements LoadProgram {

    static ChartsProgram of(Path results, Options options) {
        return new ChartsProgram(results, Path.of(options.text("charts", "docs/charts")), options.text("only", ""));
    }

    @Override
    public void run(DataDirectory data) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(results)) {
            files = all.filter(file -> file.toString().endsWith(".csv"))
                    .sorted()
                    .toList();
        }
        Files.createDirectories(charts);
        for (Path file : files) {
            draw(FigureFile.read(file));
        }
    }

    private void draw(List<Figure> figures) throws IOException {
        Rounds rounds = new Rounds(figures);
        for (String situation : rounds.situations()) {
            List<Figure> here = figures.stream()
                    .filter(figure -> figure.situation().equals(situation))
                    .toList();
            for (String measure : here.stream().map(Figure::measure).distinct().toList()) {
                Figure one = here.get(0);
                String name = fileName(one.program(), "jdk" + one.jdk(), situation, measure);
                if (name.contains(only)) {
                    Path picture = charts.resolve(name);
                    Files.writeString(
                            picture, chart(rounds, one, situation, measure).svg());
                    System.out.println(picture);
                }
            }
        }
    }

    private static BarChart chart(Rounds rounds, Figure one, String situation, String measure) {
        List<Bar> bars = new ArrayList<>();
        for (Map.Entry<String, List<Double>> of : rounds.of(situation, measure).entrySet()) {
            List<Double> values = of.getValue();
            bars.add(new Bar(
                    of.getKey(),
                    Results.median(values),
                    Collections.min(values),
                    Collections.max(values),
                    kind(of.getKey())));
        }
        String title = "%s: %s".formatted(subject(one.program()), situation);
        return new BarChart(title, measure + ", " + better(measure) + "; JDK " + one.jdk(), bars);
    }

    private static String subject(String program) {
        return switch (program) {
            case "wheel-pair" -> "Schedule and cancel";
            case "wheel-paced" -> "Schedule and cancel at a steady rate";
            case "wheel-fire" -> "Fire";
            case "wheel-memory" -> "Memory per pending timer";
            case "wheel-idle" -> "Idle";
            case "wheel-lateness" -> "Lateness";
            case "wheel-probe" -> "Probe";
            case "wheel-pauses" -> "Longest steps";
            default -> program;
        };
    }

    private static String better(String measure) {
        return measure.endsWith("/s") && !measure.contains("wake-ups") ? "more is better" : "less is better";
    }

    private static Kind kind(String contender) {
        return WheelContender.ALL.stream()
                .filter(known -> known.label().equals(contender))
                .findFirst()
                .map(WheelContender::kind)
                .orElse(Kind.PEER);
    }

    /** Lower case, and nothing that asks for quotes in a shell or a link. */
    static String fileName(String... parts) {
        String name = String.join("-", parts)
                .toLowerCase(Locale.ROOT)
                .replace(",", "")
                .replace("%", "per-cent");
        return name.replaceAll("[^a-z0-9.]+", "-").replaceAll("-+$", "") + ".svg";
    }
}
