package io.tickwheel.benchmarks;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Figures of several rounds by measure and contender, printed as a table of medians with lowest and highest, and the ratio of
 * the first contender to each other. Not thread-safe.
 */
public final class Results {

    private static final DecimalFormatSymbols ROOT = DecimalFormatSymbols.getInstance(Locale.ROOT);

    private final Map<String, Map<String, List<Double>>> figures = new LinkedHashMap<>();
    private final List<String> contenders;
    private boolean counting;

    /** For figures of these, the one that the others are compared with first. */
    public Results(String... contenders) {
        this.contenders = List.of(contenders);
    }

    /** Until called, figures belong to the warm-up: shown, but not counted. */
    public void startCounting() {
        counting = true;
    }

    public void add(String measure, String contender, double figure) {
        System.out.println((counting ? "  " : "  warm-up: ") + measure + ", " + contender + ": " + format(figure));
        if (counting) {
            if (!contenders.contains(contender)) {
                throw new IllegalArgumentException(contender + " is none of " + contenders);
            }
            figures.computeIfAbsent(measure, absent -> new LinkedHashMap<>())
                    .computeIfAbsent(contender, absent -> new ArrayList<>())
                    .add(figure);
        }
    }

    /** Percentiles of times that were recorded in microseconds, in {@code unit}; the hundredth is the longest. */
    public void addPercentiles(
            String measure, String contender, Histogram micros, TimeUnit unit, double... percentiles) {
        String suffix = unit == TimeUnit.MICROSECONDS ? "us" : "ms";
        double unitMicros = unit.toMicros(1);
        for (double percentile : percentiles) {
            String name = percentile == 100 ? "longest" : "p" + new DecimalFormat("0.##", ROOT).format(percentile);
            double figure = micros.getValueAtPercentile(percentile) / unitMicros;
            add(measure + ", " + name + " " + suffix, contender, figure);
        }
    }

    public void print() {
        List<String> head = new ArrayList<>(List.of("measure"));
        head.addAll(contenders);
        for (String other : contenders.subList(1, contenders.size())) {
            head.add(contenders.get(0) + " / " + other);
        }
        Table table = new Table(head);
        figures.forEach((measure, byContender) -> table.add(row(measure, byContender)));
        System.out.println();
        System.out.println(table);
    }

    private List<String> row(String measure, Map<String, List<Double>> byContender) {
        List<String> cells = new ArrayList<>(List.of(measure));
        for (String name : contenders) {
            cells.add(summary(byContender.getOrDefault(name, List.of())));
        }
        List<Double> first = byContender.getOrDefault(contenders.get(0), List.of());
        for (String other : contenders.subList(1, contenders.size())) {
            List<Double> others = byContender.getOrDefault(other, List.of());
            boolean both = !first.isEmpty() && !others.isEmpty() && median(others) != 0;
            cells.add(both ? String.format(Locale.ROOT, "%.2f", median(first) / median(others)) : "-");
        }
        return cells;
    }

    private static String summary(List<Double> rounds) {
        if (rounds.isEmpty()) {
            return "-";
        }
        double[] sorted = sorted(rounds);
        return format(median(rounds)) + " (" + format(sorted[0]) + " to " + format(sorted[sorted.length - 1]) + ")";
    }

    public static double median(List<Double> rounds) {
        double[] sorted = sorted(rounds);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static double[] sorted(List<Double> rounds) {
        double[] sorted = rounds.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return sorted;
    }

    public static String format(double figure) {
        return String.format(Locale.ROOT, Math.abs(figure) >= 100 || figure == 0 ? "%,.0f" : "%.2f", figure);
    }
}
