package io.tickwheel.store.redis.check;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.layout.Layout;
import io.tickwheel.store.redis.layout.Member;
import io.tickwheel.store.redis.layout.TimerRecord;
import io.tickwheel.store.redis.layout.Values;
import io.tickwheel.store.redis.link.Script;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Verifies one partition. Records and members are gathered in pieces; then each is looked at with all the places where it may
 * be, at one moment, since it may have moved meanwhile.
 */
final class PartitionCheck {

    private static final Script PLACES = Script.reading("places");

    private static final int PIECE = 100;
    private static final int TRIES = 5;

    private final CheckedPartition partition;

    /** Where to look for a timer: its field, and its slice and member there, or an empty slice. */
    private record Wanted(byte[] field, String slice, byte[] member) {

        static Wanted none(byte[] field) {
            return new Wanted(field, "", field);
        }

        static Wanted of(byte[] field, TimerRecord record) {
            return new Wanted(field, record.slice(), Member.of(record.route(), field));
        }

        boolean isSame(TimerRecord record) {
            return record.slice().equals(slice) && Arrays.equals(Member.of(record.route(), field), member);
        }
    }

    /** Where a timer is; an empty score says that it is not there. */
    private record Places(
            Wanted wanted, byte[] record, String flight, String dead, String finished, String slice, String seq) {

        byte[] field() {
            return wanted.field;
        }

        String score(String letter) {
            return switch (letter) {
                case "f" -> flight;
                case "x" -> dead;
                case "e" -> finished;
                default -> slice;
            };
        }
    }

    PartitionCheck(CheckedPartition partition) {
        this.partition = partition;
    }

    /** @param existing slices that there were, whatever the directory says */
    void check(Set<String> existing) {
        Set<String> slices = new TreeSet<>(existing);
        new SliceCheck(partition).check(slices);
        checkRecords();
        for (String slice : slices) {
            checkMembers("z" + slice);
        }
        for (String letter : List.of("f", "x", "e")) {
            checkMembers(letter);
        }
        checkNearInserts();
        new QueueCountCheck(partition).check();
    }

    // ---- records and members

    private void checkRecords() {
        List<Wanted> piece = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        partition.scanRecords((field, header) -> {
            if (seen.add(CheckedPartition.name(field))) {
                TimerRecord record = CheckedPartition.read(header);
                piece.add(record == null ? Wanted.none(field) : Wanted.of(field, record));
                if (piece.size() == PIECE) {
                    checkRecords(piece);
                }
            }
        });
        checkRecords(piece);
    }

    private void checkRecords(List<Wanted> piece) {
        List<Wanted> next = List.copyOf(piece);
        piece.clear();
        for (int i = 0; i < TRIES && !next.isEmpty(); i++) {
            List<Wanted> again = new ArrayList<>();
            for (Places each : look(next)) {
                TimerRecord record = CheckedPartition.read(each.record);
                if (record != null && !each.wanted.isSame(record)) {
                    again.add(Wanted.of(each.field(), record));
                } else if (each.record.length > 0) {
                    checkRecord(each, record);
                }
            }
            next = again;
        }
    }

    private void checkRecord(Places places, @Nullable TimerRecord record) {
        String field = Layout.text(places.field());
        if (record == null) {
            partition.found("r", field, "is no record");
            return;
        }
        count(record.state());
        if (field.indexOf('\0') < 0 || !partition.has(places.field())) {
            partition.found("r", field, "is of another partition");
        }
        if (places.seq.isEmpty() || record.seq() > Long.parseLong(places.seq)) {
            partition.found("r", field, "has the seq " + record.seq() + ", must be at most " + places.seq);
        }
        String place = place(record);
        String score = places.score(place);
        if (score.isEmpty()) {
            partition.found("r", field, "is " + record.state() + ", and not in " + place);
        } else if ((record.state() == TimerState.PENDING || record.state() == TimerState.DEAD)
                && Double.parseDouble(score) != (double) record.attemptAtMs()) {
            partition.found(place, field, "has the score " + score + ", must have " + record.attemptAtMs());
        }
    }

    private void count(TimerState state) {
        switch (state) {
            case PENDING -> partition.tally.pending++;
            case CLAIMED -> partition.tally.claimed++;
            case DEAD -> partition.tally.dead++;
            case COMPLETED, CANCELLED, EXPIRED -> partition.tally.finished++;
        }
    }

    private static String place(TimerRecord record) {
        return switch (record.state()) {
            case PENDING -> "z" + record.slice();
            case CLAIMED -> "f";
            case DEAD -> "x";
            case COMPLETED, CANCELLED, EXPIRED -> "e";
        };
    }

    private void checkMembers(String set) {
        boolean isSlice = set.charAt(0) == 'z';
        List<Wanted> piece = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        partition.scan("ZSCAN", partition.key(set), (member, score) -> {
            if (seen.add(CheckedPartition.name(member))) {
                piece.add(isSlice ? new Wanted(Member.field(member), set.substring(1), member) : Wanted.none(member));
                if (piece.size() == PIECE) {
                    checkMembers(set, piece);
                }
            }
        });
        checkMembers(set, piece);
    }

    private void checkMembers(String set, List<Wanted> piece) {
        for (Places each : look(piece)) {
            if (!each.score(set).isEmpty()) {
                TimerRecord record = CheckedPartition.read(each.record);
                String field = Layout.text(each.field());
                if (each.record.length == 0) {
                    partition.found(set, field, "has no record");
                } else if (record != null && !place(record).equals(set)) {
                    partition.found(set, field, "is " + record.state() + ", must be in " + place(record));
                } else if (record != null
                        && set.charAt(0) == 'z'
                        && Member.route(each.wanted.member) != record.route()) {
                    partition.found(
                            set,
                            field,
                            "has the route " + Member.route(each.wanted.member) + ", must have " + record.route());
                }
            }
        }
        piece.clear();
    }

    private List<Places> look(List<Wanted> piece) {
        if (piece.isEmpty()) {
            return List.of();
        }
        List<byte[]> keys = new ArrayList<>();
        for (String each : List.of("m", "r", "f", "x", "e")) {
            keys.add(partition.key(each));
        }
        Map<String, Integer> numbers = new HashMap<>(Map.of("", 0));
        List<byte[]> arguments = new ArrayList<>();
        for (Wanted each : piece) {
            if (!numbers.containsKey(each.slice)) {
                numbers.put(each.slice, numbers.size());
                keys.add(partition.key("z" + each.slice));
            }
            arguments.add(each.field);
            arguments.add(each.member);
            arguments.add(Layout.bytes(Integer.toString(numbers.get(each.slice))));
        }
        Values in = new Values(partition.ask(PLACES, keys, arguments));
        String seq = in.text();
        List<Places> places = new ArrayList<>();
        for (Wanted each : piece) {
            places.add(new Places(each, in.bytes(), in.text(), in.text(), in.text(), in.text(), seq));
        }
        return places;
    }

    // ---- near inserts

    private void checkNearInserts() {
        List<?> meta = partition.ask("HMGET", List.of(partition.key("m")), List.of(Layout.bytes("hz")));
        String horizon = new Values(meta).textOrEmpty();
        List<Wanted> piece = new ArrayList<>();
        partition.scan("ZSCAN", partition.key("n"), (member, score) -> {
            piece.add(Wanted.none(Member.field(member)));
            if (piece.size() == PIECE) {
                countNearInserts(piece, horizon);
            }
        });
        countNearInserts(piece, horizon);
    }

    private void countNearInserts(List<Wanted> piece, String horizon) {
        for (Places each : look(piece)) {
            TimerRecord record = CheckedPartition.read(each.record);
            partition.tally.nearInserts++;
            boolean toLoad = record != null
                    && record.state() == TimerState.PENDING
                    && !horizon.isEmpty()
                    && record.attemptAtMs() < Long.parseLong(horizon);
            partition.tally.idleNearInserts += record == null || toLoad ? 0 : 1;
        }
        piece.clear();
    }
}
