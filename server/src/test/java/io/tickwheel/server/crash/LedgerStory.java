package io.tickwheel.server.crash;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everything that is known of one key as a timeline, in milliseconds since its first request. */
final class LedgerStory {

    private LedgerStory() {}

    static String of(
            String key, List<LedgerRequest> requests, List<LedgerArrival> arrivals, List<LedgerLifetime> lifetimes) {
        List<LedgerRequest> asked =
                requests.stream().filter(r -> r.key().equals(key)).toList();
        List<LedgerArrival> came =
                arrivals.stream().filter(a -> a.key().equals(key)).toList();
        List<Line> lines = new ArrayList<>();
        asked.forEach(r -> lines.add(new Line(
                r.start(),
                r.wish() + " in lifetime " + r.lifetime() + ", took " + r.end().msAfter(r.start()) + " ms -> "
                        + r.answer())));
        came.forEach(a -> lines.add(new Line(a.at(), a.toString())));
        Comparator<Line> inTime = (a, b) -> Long.signum(a.at.nanos() - b.at.nanos());
        if (lines.isEmpty()) {
            return "key " + key + ": nothing known";
        }
        LedgerMoment first = lines.stream().min(inTime).orElseThrow().at;
        LedgerMoment end = lines.stream().max(inTime).orElseThrow().at;
        for (LedgerLifetime lifetime : lifetimes) {
            addWithin(lines, first, end, lifetime.ready(), "ready: lifetime " + lifetime.number());
            addWithin(lines, first, end, lifetime.killed(), "killed: lifetime " + lifetime.number());
        }
        lines.sort(inTime);
        StringBuilder text =
                new StringBuilder("key ").append(key).append(", from ").append(first.wallMs());
        lines.forEach(line -> text.append("\n    +")
                .append(line.at.msAfter(first))
                .append(" ms  ")
                .append(line.what));
        return text.toString();
    }

    private static void addWithin(
            List<Line> lines, LedgerMoment first, LedgerMoment end, @Nullable LedgerMoment at, String what) {
        if (at != null && at.isAfter(first) && end.msAfter(at) > -30_000) {
            lines.add(new Line(at, what));
        }
    }

    private record Line(LedgerMoment at, String what) {}
}
