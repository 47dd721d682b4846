package io.tickwheel.store.redis;

import io.tickwheel.store.TimerState;
import io.tickwheel.store.redis.RedisVerification.Finding;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Verifies one partition. Records and members are gathered in pieces; then each is looked at with all the places where it may
 * be, at one moment, since it may have moved meanwhile.
 */
final class PartitionCheck {

    private static final Script SCAN = Script.reading("scan");
    private static final Script PLACES = Script.reading("places");
    private static final Script SLICES = Script.named("slices");

    private static final int PIECE = 100;
    private static final int SLICES_AT_ONCE = 2_000;
    private static final int TRIES = 5;

    private final Inquiry inquiry;
    private final Layout layout;
    private final int partition;
    private final int slot;
    private final RedisVerification.Tally tally;

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

    /** What must not change while queues are counted. */
    private record Counted(Map<String, Long> queues, List<String> meta) {}

    PartitionCheck(Inquiry inquiry, Layout layout, int partition, RedisVerification.Tally tally) {
        this.inquiry = inquiry;
        this.layout = layout;
        this.partition = partition;
        this.slot = layout.slot(partition);
        this.tally = tally;
    }

    /** @param existing slices that there were, whatever the directory says */
    void check(Set<String> existing) {
        Set<String> slices = new TreeSet<>(existing);
        checkSlices(slices);
        checkRecords();
        for (String slice : slices) {
            checkMembers("z" + slice);
        }
        for (String letter : List.of("f", "x", "e")) {
            checkMembers(letter);
        }
        checkNearInserts();
        checkQueues();
    }

    private byte[] key(String name) {
        return layout.key(partition, name);
    }

    /** A field as a key of a map: one character for each byte. */
    private static String name(byte[] field) {
        return new String(field, StandardCharsets.ISO_8859_1);
    }

    private void found(String name, String field, String what) {
        tally.found(new Finding(OptionalInt.of(partition), Layout.text(key(name)), field.replace('\0', '/'), what));
    }

    // ---- the directory and the count of live timers

    private void checkSlices(Set<String> slices) {
        List<Finding> suspects = List.of();
        for (int i = 0; i < TRIES; i++) {
            inquiry.scan(slot, "ZSCAN", key("i"), (slice, score) -> slices.add(Layout.text(slice)));
            List<Finding> now = new ArrayList<>();
            long timers = lookAtSlices(slices, now);
            // A large directory is not looked at in one moment, so what is found must be found again.
            boolean same = i > 0 && now.equals(suspects);
            suspects = now;
            if (now.isEmpty() || same) {
                tally.slices += timers;
                break;
            }
        }
        suspects.forEach(tally::found);
    }

    /** Returns how many slices there are. */
    private long lookAtSlices(Set<String> slices, List<Finding> findings) {
        List<String> all = List.copyOf(slices);
        long existing = 0;
        long timers = 0;
        String live = "";
        for (int from = 0; from == 0 || from < all.size(); from += SLICES_AT_ONCE) {
            List<String> names = all.subList(from, Math.min(all.size(), from + SLICES_AT_ONCE));
            List<byte[]> keys = new ArrayList<>(List.of(key("m"), key("i"), key("f")));
            names.forEach(name -> keys.add(key("z" + name)));
            Values in = new Values(inquiry.ask(
                    slot, SLICES, keys, names.stream().map(Layout::bytes).toList()));
            live = in.text();
            in.integer();
            long flight = in.integer();
            timers += from == 0 ? flight : 0;
            for (String name : names) {
                String score = in.text();
                long count = in.integer();
                timers += count;
                existing += count > 0 ? 1 : 0;
                addSliceFinding(name, score, count, findings);
            }
        }
        if (!live.equals(Long.toString(timers)) && !(live.isEmpty() && timers == 0)) {
            findings.add(finding("m", "live", "is " + (live.isEmpty() ? "not there" : live) + ", must be " + timers));
        }
        return existing;
    }

    private void addSliceFinding(String name, String score, long timers, List<Finding> findings) {
        if (timers > 0 && score.isEmpty()) {
            findings.add(finding("z" + name, "", "is not in the directory"));
        } else if (timers == 0 && !score.isEmpty()) {
            findings.add(finding("i", name, "is a slice that is not there"));
        } else if (!score.isEmpty() && Double.parseDouble(score) != (double) Layout.sliceFromMs(name)) {
            findings.add(finding("i", name, "has the score " + score + ", must have " + Layout.sliceFromMs(name)));
        }
    }

    private Finding finding(String name, String field, String what) {
        return new Finding(OptionalInt.of(partition), Layout.text(key(name)), field, what);
    }

    // ---- records and members

    private void scanRecords(BiConsumer<byte[], byte[]> each) {
        String cursor = "0";
        do {
            Values in = new Values(inquiry.ask(slot, SCAN, List.of(key("r")), List.of(Layout.bytes(cursor))));
            cursor = in.text();
            while (in.hasNext()) {
                each.accept(in.bytes(), in.bytes());
            }
        } while (!cursor.equals("0"));
    }

    private void checkRecords() {
        List<Wanted> piece = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        scanRecords((field, header) -> {
            if (seen.add(name(field))) {
                TimerRecord record = read(header);
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
                TimerRecord record = read(each.record);
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
            found("r", field, "is no record");
            return;
        }
        count(record.state());
        if (field.indexOf('\0') < 0 || layout.partition(places.field()) != partition) {
            found("r", field, "is of another partition");
        }
        if (places.seq.isEmpty() || record.seq() > Long.parseLong(places.seq)) {
            found("r", field, "has the seq " + record.seq() + ", must be at most " + places.seq);
        }
        String place = place(record);
        String score = places.score(place);
        if (score.isEmpty()) {
            found("r", field, "is " + record.state() + ", and not in " + place);
        } else if ((record.state() == TimerState.PENDING || record.state() == TimerState.DEAD)
                && Double.parseDouble(score) != (double) record.attemptAtMs()) {
            found(place, field, "has the score " + score + ", must have " + record.attemptAtMs());
        }
    }

    private void count(TimerState state) {
        switch (state) {
            case PENDING -> tally.pending++;
            case CLAIMED -> tally.claimed++;
            case DEAD -> tally.dead++;
            case COMPLETED, CANCELLED, EXPIRED -> tally.finished++;
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

    private static @Nullable TimerRecord read(byte[] record) {
        try {
            return TimerRecord.read(ByteBuffer.wrap(record));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private void checkMembers(String set) {
        boolean isSlice = set.charAt(0) == 'z';
        List<Wanted> piece = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        inquiry.scan(slot, "ZSCAN", key(set), (member, score) -> {
            if (seen.add(name(member))) {
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
                TimerRecord record = read(each.record);
                String field = Layout.text(each.field());
                if (each.record.length == 0) {
                    found(set, field, "has no record");
                } else if (record != null && !place(record).equals(set)) {
                    found(set, field, "is " + record.state() + ", must be in " + place(record));
                } else if (record != null
                        && set.charAt(0) == 'z'
                        && Member.route(each.wanted.member) != record.route()) {
                    found(
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
            keys.add(key(each));
        }
        Map<String, Integer> numbers = new HashMap<>(Map.of("", 0));
        List<byte[]> arguments = new ArrayList<>();
        for (Wanted each : piece) {
            if (!numbers.containsKey(each.slice)) {
                numbers.put(each.slice, numbers.size());
                keys.add(key("z" + each.slice));
            }
            arguments.add(each.field);
            arguments.add(each.member);
            arguments.add(Layout.bytes(Integer.toString(numbers.get(each.slice))));
        }
        Values in = new Values(inquiry.ask(slot, PLACES, keys, arguments));
        String seq = in.text();
        List<Places> places = new ArrayList<>();
        for (Wanted each : piece) {
            places.add(new Places(each, in.bytes(), in.text(), in.text(), in.text(), in.text(), seq));
        }
        return places;
    }

    // ---- near inserts

    private void checkNearInserts() {
        List<?> meta = inquiry.ask(slot, "HMGET", List.of(key("m")), List.of(Layout.bytes("hz")));
        String horizon = new Values(meta).textOrEmpty();
        List<Wanted> piece = new ArrayList<>();
        inquiry.scan(slot, "ZSCAN", key("n"), (member, score) -> {
            piece.add(Wanted.none(Member.field(member)));
            if (piece.size() == PIECE) {
                countNearInserts(piece, horizon);
            }
        });
        countNearInserts(piece, horizon);
    }

    private void countNearInserts(List<Wanted> piece, String horizon) {
        for (Places each : look(piece)) {
            TimerRecord record = read(each.record);
            tally.nearInserts++;
            boolean toLoad = record != null
                    && record.state() == TimerState.PENDING
                    && !horizon.isEmpty()
                    && record.attemptAtMs() < Long.parseLong(horizon);
            tally.idleNearInserts += record == null || toLoad ? 0 : 1;
        }
        piece.clear();
    }

    // ---- counts of queues

    /** A count of all records takes a while; so it counts only when nothing has changed meanwhile, and a second time. */
    private void checkQueues() {
        Map<String, String> before = Map.of();
        for (int i = 0; i < TRIES; i++) {
            Counted first = counted();
            Map<String, Long> queues = new HashMap<>();
            Set<String> seen = new HashSet<>();
            scanRecords((field, header) -> {
                TimerRecord record = read(header);
                String letter = record == null ? "" : letter(record.state());
                if (!letter.isEmpty() && seen.add(name(field))) {
                    queues.merge(letter + Layout.queue(field), 1L, Long::sum);
                }
            });
            Counted last = counted();
            if (queues.equals(first.queues) || queues.equals(last.queues)) {
                return;
            }
            Map<String, String> differences = differences(queues, last.queues);
            if (first.equals(last) && differences.equals(before)) {
                differences.forEach((field, what) -> found("q", field, what));
                return;
            }
            before = first.equals(last) ? differences : Map.of();
        }
        tally.restless++;
    }

    private Counted counted() {
        Map<String, Long> queues = new HashMap<>();
        inquiry.scan(
                slot,
                "HSCAN",
                key("q"),
                (field, count) -> queues.put(Layout.text(field), Long.parseLong(Layout.text(count))));
        Values in = new Values(
                inquiry.ask(slot, "HMGET", List.of(key("m")), List.of(Layout.bytes("live"), Layout.bytes("seq"))));
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
