import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Records the picture at the top of the README: starts a server, schedules a timer, kills the server, starts it again, and draws what both
 * terminals showed, at the times when they did. From the root of the tree: {@code java docs/cast/Cast.java}.
 */
public final class Cast {

    private static final Path PICTURE = Path.of("docs", "cast", "cast.svg");
    private static final int COLUMNS = 92;
    private static final double LONGEST_WAIT = 1.6;
    private static final double REST = 4;

    private static final String PUT =
            """
            curl -X PUT http://127.0.0.1:7373/v1/queues/demo/timers/order-42 \\
              -H 'Content-Type: application/json' \\
              -d '{"delay":"12s","payload":{"id":42},"target":{"log":{}}}'""";

    /** A line and when it appeared, in seconds. */
    private record Shown(double at, String kind, String text) {}

    private final List<Shown> lines = new ArrayList<>();
    private final Path data = Files.createTempDirectory("tickwheel-cast");
    private final long began = System.nanoTime();

    private Cast() throws IOException {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Cast cast = new Cast();
        cast.record();
        Files.writeString(PICTURE, cast.draw());
        System.out.println(PICTURE);
    }

    private void record() throws IOException, InterruptedException {
        show("typed", "$ bin/tickwheel dev");
        Path first = data.resolve("first.txt");
        Process server = start(first);
        try {
            show("said", await(first, "Tickwheel .* is ready\\."));
            show("typed", "$ " + PUT);
            Process put = new ProcessBuilder("bash", "-c", PUT.replace("curl", "curl -s"))
                    .redirectErrorStream(true)
                    .start();
            String answer = new String(put.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!answer.contains("CREATED")) {
                throw new IllegalStateException("the timer was not taken: " + answer);
            }
            show("said", answer);
            TimeUnit.MILLISECONDS.sleep(1500);
            show("typed", "$ kill -9 " + server.pid());
        } finally {
            server.destroyForcibly().waitFor();
        }
        show("bad", "Killed");
        TimeUnit.MILLISECONDS.sleep(1000);
        show("typed", "$ bin/tickwheel dev");
        Path second = data.resolve("second.txt");
        server = start(second);
        try {
            show("said", await(second, "Tickwheel .* is ready\\."));
            show("good", await(second, ".*demo/order-42 fired.*"));
        } finally {
            server.destroy();
            server.waitFor();
        }
    }

    private Process start(Path printed) throws IOException {
        return new ProcessBuilder(
                        Path.of("bin", "tickwheel").toString(), "dev", "--data", data.resolve("timers").toString())
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
    }

    private static String await(Path printed, String line) throws IOException, InterruptedException {
        for (int i = 0; i < 12_000; i++) {
            for (String one : Files.readAllLines(printed)) {
                if (one.matches(line)) {
                    return one;
                }
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        throw new IllegalStateException("no line like " + line + " in: " + Files.readString(printed));
    }

    private void show(String kind, String text) {
        double at = (System.nanoTime() - began) / 1e9;
        for (String line : text.split("\n")) {
            String rest = line;
            while (rest.length() > COLUMNS) {
                lines.add(new Shown(at, kind, rest.substring(0, COLUMNS)));
                rest = rest.substring(COLUMNS);
            }
            lines.add(new Shown(at, kind, rest));
        }
    }

    /** Long waits are cut short; what follows keeps its distance. */
    private String draw() {
        List<Double> times = new ArrayList<>();
        double cut = 0;
        double before = lines.get(0).at();
        for (Shown line : lines) {
            cut += Math.max(0, line.at() - before - LONGEST_WAIT);
            before = line.at();
            times.add(line.at() - cut);
        }
        double begin = times.get(0);
        double length = times.get(times.size() - 1) - begin + REST;
        int height = 30 + 19 * lines.size();
        StringBuilder svg = new StringBuilder(
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 %1$d" width="760" height="%1$d" role="img">
                <title>A timer is scheduled, the server is killed and started again, and the timer fires</title>
                <style>
                  .ground { fill: #ffffff; stroke: #d0d7de; }
                  text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre; }
                  .typed { fill: #24292f; font-weight: 600; }
                  .said { fill: #57606a; }
                  .bad { fill: #b3261e; }
                  .good { fill: #1a7f64; font-weight: 600; }
                  @media (prefers-color-scheme: dark) {
                    .ground { fill: #0d1117; stroke: #30363d; }
                    .typed { fill: #e6edf3; }
                    .said { fill: #9ea7b3; }
                    .bad { fill: #ff8a80; }
                    .good { fill: #2fb892; }
                  }
                """
                        .formatted(height));
        for (int i = 0; i < lines.size(); i++) {
            double from = 100 * (times.get(i) - begin) / length;
            svg.append(String.format(
                    Locale.ROOT,
                    "  #l%d { animation: k%d %.1fs step-end infinite; } @keyframes k%d { 0%% { opacity: %d; } %.2f%% { opacity: 1; } }%n",
                    i,
                    i,
                    length,
                    i,
                    i == 0 ? 1 : 0,
                    from));
        }
        svg.append("  @media (prefers-reduced-motion: reduce) { text { animation: none !important; } }\n</style>\n");
        svg.append("<rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"759\" height=\"" + (height - 1) + "\" rx=\"6\"/>\n");
        for (int i = 0; i < lines.size(); i++) {
            String text = lines.get(i).text().replace("&", "&amp;").replace("<", "&lt;");
            svg.append("<text id=\"l" + i + "\" class=\"" + lines.get(i).kind() + "\" x=\"18\" y=\"" + (32 + 19 * i)
                    + "\" xml:space=\"preserve\">" + text + "</text>\n");
        }
        return svg.append("</svg>\n").toString();
    }
}
