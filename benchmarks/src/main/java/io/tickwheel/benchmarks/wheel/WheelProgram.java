package io.tickwheel.benchmarks.wheel;

import io.tickwheel.benchmarks.ChildFigures;
import io.tickwheel.benchmarks.DataDirectory;
import io.tickwheel.benchmarks.LoadProgram;
import io.tickwheel.benchmarks.Results;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Forks a measurement for every contender in every situation, in turns, several rounds; prints each figure as it comes and
 * tables of medians, and writes all figures into a file.
 *
 * @param name of the program and the measurement
 * @param about what is measured, in a few lines
 * @param allAtOnce whether the contenders of a situation are forked side by side: for measurements that do next to nothing
 * @param results the directory for the file
 */
record WheelProgram(
        String name, String about, List<Situation> situations, int rounds, boolean allAtOnce, ForkJvm jvm, Path results)
        implements LoadProgram {

    /**
     * What contenders are put in.
     *
     * @param label for tables and charts
     * @param options of the measurement
     * @param jvmOptions of the fork
     */
    record Situation(String label, List<String> options, List<String> jvmOptions, List<WheelContender> contenders) {}

    @Override
    public void run(DataDirectory data) throws Exception {
        System.out.println(about);
        System.out.println("JDK " + jvm.feature() + "; options of the forks:");
        for (Situation situation : situations) {
            System.out.println("  " + situation.label + ": " + String.join(" ", situation.jvmOptions));
        }
        Rounds all = new Rounds(new ArrayList<>());
        Path file = results.resolve(name + "-jdk" + jvm.feature() + ".csv");
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round);
            for (Situation situation : situations) {
                runRound(round, situation, all.figures());
            }
            FigureFile.write(file, all.figures());
        }
        for (String situation : all.situations()) {
            System.out.println();
            System.out.print(all.table(situation));
        }
        System.out.println();
        System.out.println("figures: " + file);
    }

    private void runRound(int round, Situation situation, List<Figure> figures) throws Exception {
        Map<WheelContender, Process> running = new LinkedHashMap<>();
        for (WheelContender contender : situation.contenders) {
            List<String> arguments = new ArrayList<>(List.of(name, contender.name()));
            arguments.addAll(situation.options);
            running.put(contender, jvm.start(situation.jvmOptions, arguments));
            if (!allAtOnce) {
                collect(round, situation, running, figures);
            }
        }
        collect(round, situation, running, figures);
    }

    private void collect(int round, Situation situation, Map<WheelContender, Process> running, List<Figure> figures)
            throws Exception {
        for (Map.Entry<WheelContender, Process> fork : running.entrySet()) {
            Map<String, Double> measured = ChildFigures.of(fork.getValue(), System.out::println);
            String contender = fork.getKey().label();
            measured.forEach((measure, value) ->
                    figures.add(new Figure(name, jvm.feature(), situation.label, contender, measure, round, value)));
            String line = measured.entrySet().stream()
                    .map(figure -> figure.getKey() + " " + Results.format(figure.getValue()))
                    .collect(Collectors.joining("; "));
            System.out.println("  " + situation.label + ", " + contender + ": " + line);
        }
        running.clear();
    }
}
