package io.tickwheel.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** How soon the engine delivers and answers when it opens a store with many timers, after a halt and after a clean end. */
record RestartProgram(
        List<Integer> timers, int overdue, List<String> ends, String fillOptions, String openOptions, int rounds)
        implements LoadProgram {

    static RestartProgram of(Options options) {
        List<Integer> timers = options.numbers("timers", "10000000");
        int overdue = options.number("overdue", 1_000);
        if (overdue < 1 || overdue > Collections.min(timers) / 2) {
            throw new IllegalArgumentException(
                    "--overdue is " + overdue + ", must be at least 1 and at most half of the timers");
        }
        return new RestartProgram(
                timers,
                overdue,
                options.list("ends", "killed,closed"),
                options.text("fill-options", "-Xmx1g"),
                options.text("open-options", "-Xmx1g"),
                options.number("rounds", 3));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "A JVM (%s) fills a store with timers due in 1 to 60 days, among them %,d due at once that nobody handles, "
                        + "and halts%n(killed) or closes the engine (closed). A new JVM (%s) opens it. Times are counted "
                        + "from just before the engine opens, its%nJVM's start excluded; the files are in the page cache."
                        + "%n%n",
                fillOptions, overdue, openOptions);
        Results results = new Results(ends.toArray(String[]::new));
        results.startCounting();
        for (int count : timers) {
            for (int round = 1; round <= rounds; round++) {
                System.out.printf("%,d timers, round %d%n", count, round);
                for (String end : ends) {
                    round(data.fresh("restart"), count, end, results);
                }
            }
        }
        DataDirectory.delete(data.root().resolve("restart"));
        results.print();
    }

    private void round(Path directory, int count, String end, Results results) throws Exception {
        List<String> about = List.of(
                "--directory",
                directory.toString(),
                "--timers",
                Integer.toString(count),
                "--overdue",
                Integer.toString(overdue));
        List<String> fill = new ArrayList<>(List.of("fill", "--end", end));
        fill.addAll(about);
        ChildJvm.run(fillOptions, RestartChild.class, fill);
        List<String> open = new ArrayList<>(List.of("open"));
        open.addAll(about);
        Map<String, Double> figures = ChildJvm.run(openOptions, RestartChild.class, open);
        figures.forEach((measure, figure) -> results.add("%,d timers, %s".formatted(count, measure), end, figure));
    }
}
