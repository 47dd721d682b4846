package io.tickwheel.store.redis.check;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.TimerRecord;
import io.tickwheel.store.redis.layout.Values;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Holds the counts of queues against the records that there are. */
final class QueueCountCheck {

    private static final int TRIES = 5;

    private final CheckedPartition partition;

    /** What must not change while queues are counted. */
    private record Counted(Map<String, Long> queues, List<String> meta) {}

    QueueCountCheck(CheckedPartition partition) {
        this.partition = partition;
    }

    /** A count of all records takes a while; so it counts only when nothing has changed meanwhile, and a second time. */
    void check() {
        Map<String, String> before = Map.of();
        for (int i = 0; i < TRIES; i++) {
            Counted first = counted();
            Map<String, Long> queues = new HashMap<>();
            Set<String> seen = new HashSet<>();
            partition.scanRecords((field, header) -> {
                TimerRecord record = CheckedPartition.read(header);
                String letter = record == null || record.ending() ? "" : letter(record.state());
                if (!letter.isEmpty() && seen.add(CheckedPartition.name(field))) {
                    queues.merge(letter + Layout.queue(field), 1L, Long::sum);
                }
            });
            Counted last = counted();
            if (queues.equals(first.queues) || queues.equals(last.queues)) {
                return;
            }
            Map<String, String> differences = differences(queues, last.queues);
            if (first.equals(last) && differences.equals(before)) {
                differences.forEach((field, what) -> partition.found("q", field, what));
                return;
            }
            before = first.equals(last) ? differences : Map.of();
        }
        partition.tally.restless++;
    }

    private Counted counted() {
        Map<String, Long> queues = new HashMap<>();
        partition.scan(
                "HSCAN",
                partition.key("q"),
                (field, count) -> queues.put(Layout.text(field), Long.parseLong(Layout.text(count))));
        Values in = new Values(partition.ask(
                "HMGET", List.of(partition.key("m")), List.of(Layout.bytes("live"), Layout.bytes("seq"))));
        return new Counted(queues, List.of(in.textOrEmpty(), in.textOrEmpty()));
    }

    private static Map<String, String> differences(Map<String, Long> actual, Map<String, Long> said) {
        Set<String> fields = new TreeSet<>(actual.keySet());
        fields.addAll(said.keySet());
        Map<String, String> differences = new LinkedHashMap<>();
        for (String field : fields) {
            Long must = actual.get(field);
            Long is = said.get(field);
            if (must == null || !must.equals(is)) {
                differences.put(
                        field,
                        "is " + (is == null ? "not there" : is) + ", must be " + (must == null ? "not there" : must));
            }
        }
        return differences;
    }

    private static String letter(TimerState state) {
        return switch (state) {
            case PENDING -> "p";
            case CLAIMED -> "c";
            case DEAD -> "d";
            case COMPLETED, CANCELLED, EXPIRED -> "";
        };
    }
}
