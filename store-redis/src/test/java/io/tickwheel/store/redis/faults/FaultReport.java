package io.tickwheel.store.redis.faults;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the judge found. */
final class FaultReport {

    private static final int EXAMPLES = 4;

    /** How a promise can be broken. */
    enum Broken {
        /** Accepted, not cancelled, and never delivered. */
        LOST,
        /** Delivered before its time. */
        EARLY,
        /** Delivered after its cancel was answered so. */
        CANCELLED_AND_FIRED,
        /** Delivered after it was replaced. */
        STALE,
        /** Delivered again without a reason. */
        UNEXPLAINED_DUPLICATE,
        /** Answers and deliveries that do not fit each other. */
        CONTRADICTION
    }

    private final Map<Broken, List<String>> keys = new EnumMap<>(Broken.class);
    private final Map<Broken, List<String>> details = new EnumMap<>(Broken.class);
    int made;
    int cancelled;
    int replaced;
    int unknown;
    int refused;
    int deliveries;
    int tiedDuplicates;
    long[] latenessMs = {};

    void broken(Broken kind, String key, String what) {
        keys.computeIfAbsent(kind, any -> new ArrayList<>()).add(key);
        details.computeIfAbsent(kind, any -> new ArrayList<>()).add(what);
    }

    int number(Broken kind) {
        return keys.getOrDefault(kind, List.of()).size();
    }

    boolean isClean() {
        return keys.isEmpty();
    }

    String summary() {
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "made %d, cancelled %d, replaced %d, unknown %d, refused %d, deliveries %d, tied duplicates %d",
                made,
                cancelled,
                replaced,
                unknown,
                refused,
                deliveries,
                tiedDuplicates));
        for (Broken kind : Broken.values()) {
            line.append(", ")
                    .append(kind.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                    .append(' ')
                    .append(number(kind));
        }
        if (latenessMs.length > 0) {
            line.append(String.format(
                    Locale.ROOT,
                    ", lateness p50 %d ms, p99 %d ms, max %d ms",
                    latenessMs[latenessMs.length / 2],
                    latenessMs[(int) (latenessMs.length * 0.99)],
                    latenessMs[latenessMs.length - 1]));
        }
        return line.toString();
    }

    String details(FaultLedger ledger) {
        StringBuilder text = new StringBuilder(summary()).append('\n').append(ledger.causesText());
        keys.forEach((kind, found) -> {
            for (int i = 0; i < Math.min(EXAMPLES, found.size()); i++) {
                text.append("\n- ")
                        .append(kind)
                        .append(": ")
                        .append(details.get(kind).get(i))
                        .append("\n    ")
                        .append(ledger.storyOf(found.get(i)));
            }
        });
        return text.toString();
    }
}
