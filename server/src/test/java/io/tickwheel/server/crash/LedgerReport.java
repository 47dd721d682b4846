package io.tickwheel.server.crash;

import io.tickwheel.server.crash.LedgerViolation.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/** What the checker found: how much was tried, and every broken promise. */
final class LedgerReport {

    private static final int EXAMPLES = 5;

    private final Map<Kind, List<LedgerViolation>> violations = new EnumMap<>(Kind.class);
    private final Map<Count, Integer> counts = new EnumMap<>(Count.class);
    private long longestTieMs;
    private long[] latenessMs = new long[0];

    /** What is counted. */
    enum Count {
        TIMERS("timers"),
        ACKED("acked"),
        CANCELLED("cancelled"),
        REPLACED("replaced"),
        LAST_ATTEMPT("cancelled while an attempt ran"),
        TOO_LATE("too late"),
        LOOKS("looks"),
        UNKNOWN("unknown"),
        REFUSED("refused"),
        ARRIVALS("arrivals"),
        KILLS("kills"),
        TIED_DUPLICATES("duplicates tied to a kill");

        private final String words;

        Count(String words) {
            this.words = words;
        }
    }

    void add(LedgerViolation violation) {
        violations.computeIfAbsent(violation.kind(), kind -> new ArrayList<>()).add(violation);
    }

    void count(Count what) {
        count(what, 1);
    }

    void count(Count what, int times) {
        counts.merge(what, times, Integer::sum);
    }

    /** A timer came again because the kill came {@code tieMs} after its first arrival. */
    void countTied(long tieMs) {
        count(Count.TIED_DUPLICATES);
        longestTieMs = Math.max(longestTieMs, tieMs);
    }

    void setLatenessMs(long[] latenessMs) {
        this.latenessMs = latenessMs.clone();
        Arrays.sort(this.latenessMs);
    }

    int number(Count what) {
        return counts.getOrDefault(what, 0);
    }

    int number(Kind kind) {
        return violations.getOrDefault(kind, List.of()).size();
    }

    boolean isClean() {
        return violations.isEmpty();
    }

    /** One line with all the numbers. */
    String summary() {
        StringBuilder line = new StringBuilder();
        for (Count count : Count.values()) {
            line.append(count.words).append(' ').append(number(count));
            if (count == Count.TIED_DUPLICATES && number(count) > 0) {
                line.append(" (at most ").append(longestTieMs).append(" ms before it)");
            }
            line.append(", ");
        }
        for (Kind kind : Kind.values()) {
            line.append(words(kind)).append(' ').append(number(kind)).append(", ");
        }
        return line.append(lateness()).toString();
    }

    /** The summary and the first examples of each kind of violation, each with the story of its key. */
    String details(UnaryOperator<String> storyOfKey) {
        StringBuilder text = new StringBuilder(summary());
        violations.forEach((kind, found) -> {
            text.append("\n\n").append(words(kind)).append(": ").append(found.size());
            found.stream()
                    .limit(EXAMPLES)
                    .forEach(one -> text.append("\n- ")
                            .append(one.what())
                            .append("\n  ")
                            .append(storyOfKey.apply(one.key())));
        });
        return text.toString();
    }

    private String lateness() {
        if (latenessMs.length == 0) {
            return "no lateness measured";
        }
        return String.format(
                Locale.ROOT,
                "lateness of %d that came due in uptime: p50 %d ms, p99 %d ms, max %d ms",
                latenessMs.length,
                latenessMs[latenessMs.length / 2],
                latenessMs[(int) (latenessMs.length * 0.99)],
                latenessMs[latenessMs.length - 1]);
    }

    private static String words(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
