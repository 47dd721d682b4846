package io.tickwheel.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** How a measurement in a JVM of its own tells its figures to the program that started it: lines of its output. */
public final class ChildFigures {

    private static final String FIGURE = "figure";
    private static final String FAILURE = "failure";
    private static final String SEPARATOR = "\t";

    private ChildFigures() {}

    /** Called by the child. */
    public static void print(String measure, double figure) {
        if (!Double.isFinite(figure)) {
            throw new IllegalStateException(measure + " is " + figure);
        }
        System.out.println(String.join(SEPARATOR, FIGURE, measure, String.format(Locale.ROOT, "%.6g", figure)));
    }

    /** Called by the child, before it ends with another status than 0. */
    public static void failed(Throwable cause) {
        cause.printStackTrace();
        System.out.println(FAILURE + SEPARATOR + cause.toString().replaceAll("\\s+", " "));
        System.out.flush();
    }

    /** Waits for a child to end; {@code others} is told the lines that are no figures. */
    public static Map<String, Double> of(Process child, Consumer<String> others)
            throws IOException, InterruptedException {
        Map<String, Double> figures = new LinkedHashMap<>();
        String failure = "";
        try (BufferedReader lines = child.inputReader(UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.split(SEPARATOR, -1);
                if (fields[0].equals(FIGURE)) {
                    figures.put(fields[1], Double.valueOf(fields[2]));
                } else if (fields[0].equals(FAILURE)) {
                    failure = ": " + fields[1];
                } else {
                    others.accept(line);
                }
            }
        }
        if (child.waitFor() != 0) {
            throw new IOException("a measurement has failed with exit code " + child.exitValue() + failure);
        }
        return figures;
    }
}
