package io.tickwheel.benchmarks;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Very many timers in one slice and in one millisecond, in a small heap, and how fresh timers fare beside them. */
record StormProgram(int timers, int atOnce, int spreadSeconds, int freshPerSecond, String jvmOptions, int rounds)
        implements LoadProgram {

    private static final int MOST_SPREAD_SECONDS = 1_790;

    static StormProgram of(Options options) {
        int spread = options.number("spread-seconds", 60);
        if (spread < 1 || spread > MOST_SPREAD_SECONDS) {
            throw new IllegalArgumentException(
                    "--spread-seconds is " + spread + ", must be 1 to " + MOST_SPREAD_SECONDS);
        }
        return new StormProgram(
                options.number("timers", 5_000_000),
                options.number("at-once", 5_000_000),
                spread,
                options.number("fresh-a-second", 1_000),
                options.text("jvm-options", "-Xmx512m"),
                options.number("rounds", 1));
    }

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.printf(
                "A JVM (%s) schedules %,d timers due within %,d s of one half hour, and %,d due at one millisecond in the "
                        + "middle of them. Its clock%nis put forward to that half hour. While they fire, %,d fresh timers a "
                        + "second are scheduled, due a second later. Lost: accepted,%nbut neither delivered nor "
                        + "acknowledged.%n%n",
                jvmOptions, timers, spreadSeconds, atOnce, freshPerSecond);
        Results results = new Results("Tickwheel");
        results.startCounting();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            Path directory = data.fresh("storm");
            Map<String, Double> figures = ChildJvm.run(
                    jvmOptions,
                    StormChild.class,
                    List.of(
                            "--directory",
                            directory.toString(),
                            "--timers",
                            Integer.toString(timers),
                            "--at-once",
                            Integer.toString(atOnce),
                            "--spread-seconds",
                            Integer.toString(spreadSeconds),
                            "--fresh-a-second",
                            Integer.toString(freshPerSecond)));
            figures.forEach((measure, figure) -> results.add(measure, "Tickwheel", figure));
            DataDirectory.delete(directory);
        }
        results.print();
    }
}
