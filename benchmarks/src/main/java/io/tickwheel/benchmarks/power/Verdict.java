package io.tickwheel.benchmarks.power;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The broken promises of a run, by kind. */
final class Verdict {

    private static final int EXAMPLES = 5;

    enum Kind {
        /** Accepted, not finished, and neither found nor delivered. */
        LOST,
        /** The store would not open. */
        REFUSED,
        /** Answered as cancelled, and pending again or delivered. */
        UNCANCELLED,
        /** A version came that was replaced while no attempt of it was running. */
        STALE,
        /** Came before it was due. */
        EARLY,
        /** Came again in the same process, or although it had been taken long before the cut. */
        REPEATED,
        /** Nobody had asked for it, or not with this content. */
        UNKNOWN,
        /** Two answers, or an answer and a delivery, that cannot both be true. */
        CONTRADICTION,
        /** A command failed before any cut. */
        UNANSWERED
    }

    private final Map<Kind, List<String>> broken = new EnumMap<>(Kind.class);

    void add(Kind kind, String what) {
        broken.computeIfAbsent(kind, k -> new ArrayList<>()).add(what);
    }

    int number(Kind kind) {
        return broken.getOrDefault(kind, List.of()).size();
    }

    boolean isClean() {
        return broken.isEmpty();
    }

    /** Every kind with its number. */
    String summary() {
        return Stream.of(Kind.values())
                .map(kind -> kind.name().toLowerCase(Locale.ROOT) + " " + number(kind))
                .collect(Collectors.joining(", "));
    }

    /** The first ones of each kind, a line each. */
    List<String> examples() {
        return broken.entrySet().stream()
                .flatMap(entry -> entry.getValue().stream().limit(EXAMPLES).map(what -> entry.getKey() + " " + what))
                .toList();
    }
}
