package io.tickwheel.benchmarks.wheel;

import io.tickwheel.benchmarks.Results;
import io.tickwheel.benchmarks.Table;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The figures of all rounds, and what is made of them: medians with the lowest and the highest round. */
record Rounds(List<Figure> figures) {

    private static final String ABOVE_FLOOR = " above the floor";

    List<String> situations() {
        return figures.stream().map(Figure::situation).distinct().toList();
    }

    /** A table for one situation: contenders down, measures across; what is in nanoseconds also above the floor. */
    Table table(String situation) {
        Map<String, Map<String, List<Double>>> byContender = byContender(situation);
        List<String> measures = byContender.values().stream()
                .flatMap(byMeasure -> byMeasure.keySet().stream())
                .distinct()
                .toList();
        Map<String, List<Double>> floor = byContender.getOrDefault(floorLabel(), Map.of());
        List<String> overFloor = measures.stream()
                .filter(measure -> measure.endsWith(" ns") && floor.containsKey(measure))
                .toList();
        List<String> head = new ArrayList<>(List.of(situation));
        head.addAll(measures);
        overFloor.forEach(measure -> head.add(measure + ABOVE_FLOOR));
        Table table = new Table(head);
        byContender.forEach((contender, byMeasure) -> {
            List<String> row = new ArrayList<>(List.of(contender));
            measures.forEach(measure -> row.add(summary(byMeasure.getOrDefault(measure, List.of()))));
            overFloor.forEach(measure -> row.add(
                    aboveFloor(byMeasure.getOrDefault(measure, List.of()), floor.getOrDefault(measure, List.of()))));
            table.add(row);
        });
        return table;
    }

    /** The rounds of each contender that has this measure, in the order in which contenders came. */
    Map<String, List<Double>> of(String situation, String measure) {
        Map<String, List<Double>> rounds = new LinkedHashMap<>();
        byContender(situation).forEach((contender, byMeasure) -> {
            if (byMeasure.containsKey(measure)) {
                rounds.put(contender, byMeasure.get(measure));
            }
        });
        return rounds;
    }

    private Map<String, Map<String, List<Double>>> byContender(String situation) {
        Map<String, Map<String, List<Double>>> byContender = new LinkedHashMap<>();
        Stream<Figure> here =
                figures.stream().filter(figure -> figure.situation().equals(situation));
        here.forEach(figure -> byContender
                .computeIfAbsent(figure.contender(), absent -> new LinkedHashMap<>())
                .computeIfAbsent(figure.measure(), absent -> new ArrayList<>())
                .add(figure.value()));
        return byContender;
    }

    private static String aboveFloor(List<Double> rounds, List<Double> floor) {
        boolean both = !rounds.isEmpty() && !floor.isEmpty();
        return both ? Results.format(Results.median(rounds) - Results.median(floor)) : "-";
    }

    private static String summary(List<Double> rounds) {
        if (rounds.isEmpty()) {
            return "-";
        }
        String median = Results.format(Results.median(rounds));
        if (rounds.size() == 1) {
            return median;
        }
        return median + " (" + Results.format(Collections.min(rounds)) + " to "
                + Results.format(Collections.max(rounds)) + ")";
    }

    private static String floorLabel() {
        return WheelContender.named(WheelContender.FLOOR).label();
    }
}
