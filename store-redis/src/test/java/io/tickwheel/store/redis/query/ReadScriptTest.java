package io.tickwheel.store.redis.query;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.redis.link.Script;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code read.lua} gives for a piece, to the last member that it looks at, and what those scripts give that verification reads. */
final class ReadScriptTest extends QueryScripts {

    private static final Script READ = Script.reading("read");

    /** What is read of a set: whether that is its end, where it goes on, how many were looked at, and which fields were found. */
    private record Part(
            boolean ended, String score, String member, long looked, List<String> fields, List<String> heads) {

        static Part of(Object reply) {
            List<?> list = (List<?>) reply;
            List<String> fields = new ArrayList<>();
            List<String> heads = new ArrayList<>();
            for (int at = 4; at < list.size(); at += 2) {
                fields.add((String) list.get(at));
                heads.add((String) list.get(at + 1));
            }
            return new Part(
                    (Long) list.get(0) == 1,
                    (String) list.get(1),
                    (String) list.get(2),
                    (Long) list.get(3),
                    fields,
                    heads);
        }
    }

    private record Place(String set, String score, String member, String highest) {

        static Place first(String set) {
            return new Place(set, "-inf", "", "+inf");
        }
    }

    private final class Read {

        private String prefix = "";
        private int wanted = MANY;
        private int looks = MANY;
        private final List<String> older = new ArrayList<>(List.of("", ""));
        private final List<String> younger = new ArrayList<>(List.of("", ""));
        private List<String> slices = List.of("", "", "");
        private List<String> flight = List.of("", "");

        Read prefix(String value) {
            prefix = value;
            return this;
        }

        Read wanted(int value) {
            wanted = value;
            return this;
        }

        Read looks(int value) {
            looks = value;
            return this;
        }

        Read flight(String score, String field) {
            flight = List.of(score, field);
            return this;
        }

        Read slices(String from, String to, int most) {
            slices = List.of(from, to, text(most));
            return this;
        }

        private static void mark(List<String> mark, long dueAtMs, long seq) {
            mark.set(0, record(dueAtMs, seq, 0).substring(5, 13));
            mark.set(1, text(seq));
        }

        Read behind(long dueAtMs, long seq) {
            mark(older, dueAtMs, seq);
            return this;
        }

        Read upTo(long dueAtMs, long seq) {
            mark(younger, dueAtMs, seq);
            return this;
        }

        List<?> reply(Place... places) throws Exception {
            List<String> keys = new ArrayList<>(List.of("r", "i", "f"));
            List<String> arguments = new ArrayList<>(List.of(prefix, text(wanted), text(looks)));
            arguments.addAll(older);
            arguments.addAll(younger);
            arguments.addAll(slices);
            arguments.addAll(flight);
            for (Place place : places) {
                keys.add(place.set);
                arguments.addAll(List.of(place.score, place.member, place.highest));
            }
            return eval(READ, keys, arguments);
        }

        List<Part> of(Place... places) throws Exception {
            List<?> reply = reply(places);
            return reply.subList(2, reply.size()).stream().map(Part::of).toList();
        }
    }

    @Test
    void setIsReadToItsHighestScore() throws Exception {
        plant("a", 10, "x");
        plant("a", 20, "y");
        plant("a", 21, "z");
        Part part = new Read().of(new Place("a", "-inf", "", "20")).get(0);
        assertThat(part)
                .isEqualTo(new Part(
                        true, "20", "y", 2, List.of("x", "y"), List.of(record(10, SEQ, 0), record(20, SEQ, 0))));
    }

    @Test
    void noMoreIsReadThanIsWanted() throws Exception {
        for (int i = 0; i < 40; i++) {
            plant("a", i, "k" + i);
        }
        for (int wanted = 1; wanted <= 8; wanted++) {
            Part part = new Read().wanted(wanted).of(Place.first("a")).get(0);
            assertThat(part.fields).hasSize(wanted);
            assertThat(part.ended).isFalse();
            assertThat(part.looked).isEqualTo(wanted);
            assertThat(part.member).isEqualTo("k" + (wanted - 1));
        }
        assertThat(new Read().wanted(9).of(Place.first("a")).get(0).fields)
                .as("eight, and then twice as many")
                .hasSize(24);
        assertThat(new Read().wanted(40).of(Place.first("a")).get(0).ended).isTrue();
    }

    @Test
    void whatIsWantedAndLookedAtIsSharedBySets() throws Exception {
        for (int i = 0; i < 5; i++) {
            plant("a", i, "a" + i);
            plant("b", i, "b" + i);
            plant("c", i, "c" + i);
        }
        List<Part> parts =
                new Read().wanted(7).of(Place.first("a"), Place.first("b"), new Place("c", "3", "c3", "+inf"));
        assertThat(parts.get(0).fields).hasSize(5);
        assertThat(parts.get(0).ended).isTrue();
        assertThat(parts.get(1).fields).containsExactly("b0", "b1");
        assertThat(parts.get(1).ended).isFalse();
        assertThat(parts.get(2)).isEqualTo(new Part(false, "3", "c3", 0, List.of(), List.of()));
        List<Part> looked = new Read()
                .prefix("b")
                .looks(8)
                .of(Place.first("a"), Place.first("b"), new Place("c", "3", "c3", "+inf"));
        assertThat(looked).extracting(Part::looked).containsExactly(5L, 3L, 0L);
        assertThat(looked.get(1).fields).containsExactly("b0", "b1", "b2");
        assertThat(looked.get(2).member).isEqualTo("c3");
    }

    /** Others among them cost looks, not what is wanted. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 24, 120, 121, 199})
    void noMoreIsLookedAtThanAllowed(int looks) throws Exception {
        for (int i = 0; i < 200; i++) {
            plant("a", i, (i % 10 == 9 ? "q\0" : "o\0") + i);
        }
        Part part = new Read().prefix("q\0").looks(looks).of(Place.first("a")).get(0);
        assertThat(part.looked).isEqualTo(looks);
        assertThat(part.score).isEqualTo(text(looks - 1));
        assertThat(part.fields).hasSize(looks / 10);
        assertThat(part.ended).isFalse();
    }

    /** Of names that begin together, with bytes that languages sort otherwise than Redis does. */
    @Test
    void readingGoesOnBehindEachPlaceThoughItIsGone() throws Exception {
        List<String> members =
                List.of("A", "B", "Z", "a", "ab", "abc", "b", "z", "\u007F", "\u0080", "\u00E4", "\u00FF");
        for (String member : members) {
            plant("a", 10, member);
        }
        plant("a", 9, "zz");
        plant("a", 11, "0");
        for (int at = 0; at < members.size(); at++) {
            List<String> rest = new ArrayList<>(members.subList(at + 1, members.size()));
            rest.add("0");
            Place place = new Place("a", "10", members.get(at), "+inf");
            assertThat(new Read().of(place).get(0).fields).isEqualTo(rest);
            planted.send(planted.redis.zrem(key("a"), bytes(members.get(at))));
            assertThat(new Read().of(place).get(0).fields).isEqualTo(rest);
            plant("a", 10, members.get(at));
        }
        assertThat(new Read().of(new Place("a", "10", "", "+inf")).get(0).fields)
                .as("from the first of the score on")
                .hasSize(members.size() + 1)
                .startsWith("A");
        assertThat(new Read().of(new Place("a", "9", "zz", "+inf")).get(0).fields)
                .hasSize(members.size() + 1);
    }

    @Test
    void oneMillisecondIsDividedByAge() throws Exception {
        for (long seq = 1; seq <= 5; seq++) {
            score("a", DUE_MS, "k" + seq);
            put("k" + seq, record(DUE_MS, (seq << 48) + seq, 0));
        }
        plant("a", DUE_MS - 1, "before");
        plant("a", DUE_MS + 1, "later");
        Place all = Place.first("a");
        assertThat(new Read().behind(DUE_MS, (3L << 48) + 3).of(all).get(0).fields)
                .containsExactly("before", "k3", "k4", "k5", "later");
        assertThat(new Read().upTo(DUE_MS, (3L << 48) + 3).of(all).get(0).fields)
                .containsExactly("before", "k1", "k2", "k3", "later");
        assertThat(new Read()
                        .behind(DUE_MS, (2L << 48) + 2)
                        .upTo(DUE_MS + 1, SEQ - 1)
                        .of(all)
                        .get(0)
                        .fields)
                .containsExactly("before", "k2", "k3", "k4", "k5");
    }

    @Test
    void recordThatIsGoneIsPassedAndOneThatIsTooShortIsGiven() throws Exception {
        plant("a", 10, "x");
        score("a", 11, "gone");
        score("a", 12, "short");
        put("short", record(DUE_MS, 1, 0).substring(0, 29));
        Part part = new Read().behind(DUE_MS, SEQ).of(Place.first("a")).get(0);
        assertThat(part.fields).containsExactly("x", "short");
        assertThat(part.heads.get(1)).hasSize(29);
        assertThat(part.looked).isEqualTo(3);
    }

    /** With one byte more than allowed it ends; with just as many it goes on. */
    @Test
    void contentsEndAPiece() throws Exception {
        int all = MOST_BYTES - 8 * 30;
        for (int i = 0; i < 30; i++) {
            score("a", i, "k" + i);
            put("k" + i, record(i, SEQ, i == 3 ? all : 0));
        }
        plant("b", 0, "b0");
        List<Part> parts = new Read().of(Place.first("a"), Place.first("b"));
        assertThat(parts.get(0).looked).isEqualTo(24);
        assertThat(parts.get(0).ended).isFalse();
        assertThat(parts.get(1).looked).isZero();
        put("k3", record(3, SEQ, all + 1));
        parts = new Read().of(Place.first("a"), Place.first("b"));
        assertThat(parts.get(0).looked).isEqualTo(8);
        assertThat(parts.get(0).fields).hasSize(8);
        assertThat(parts.get(1).looked).isZero();
        put("k3", record(3, SEQ, 0));
        parts = new Read().of(Place.first("a"), Place.first("b"));
        assertThat(parts.get(0).ended).isTrue();
        assertThat(parts.get(1).fields).containsExactly("b0");
    }

    /** What is in flight has looks of its own, and its contents leave room for the others. */
    @Test
    void whatIsInFlightIsReadBeside() throws Exception {
        for (int i = 0; i < 400; i++) {
            plant("f", i, "f" + i);
            plant("a", i, "a" + i);
        }
        List<?> reply = new Read().wanted(2).looks(2).flight("-inf", "").reply(Place.first("a"));
        Part flight = Part.of(reply.get(1));
        assertThat(flight.looked).isEqualTo(250);
        assertThat(flight.fields).hasSize(250);
        assertThat(flight.ended).isFalse();
        assertThat(Part.of(reply.get(2)).fields).containsExactly("a0", "a1");
        Part rest =
                Part.of(new Read().flight(flight.score, flight.member).reply().get(1));
        assertThat(rest.fields).hasSize(150).startsWith("f250");
        assertThat(rest.ended).isTrue();
        assertThat(new Read().reply().get(1)).as("nothing is asked of it").isEqualTo(List.of());
        put("f0", record(0, SEQ, MOST_BYTES));
        reply = new Read().flight("-inf", "").reply(Place.first("a"));
        assertThat(Part.of(reply.get(1)).looked).isEqualTo(8);
        assertThat(Part.of(reply.get(2)).ended).isTrue();
    }

    @Test
    void fieldsOfSlicesAreFoundByRouteAndWithout() throws Exception {
        score("a", 1, "\4\0\0\0\7q\0x");
        score("a", 2, "\0q\0y");
        score("a", 3, "q\0z");
        List.of("q\0x", "q\0y", "q\0z").forEach(field -> put(field, record(1, SEQ, 0)));
        assertThat(new Read().prefix("q\0").of(Place.first("a")).get(0).fields).containsExactly("q\0x", "q\0y", "q\0z");
    }

    /** Behind the fixed part come a hash, a claim and optional fields; what stands behind those is content. */
    @ParameterizedTest
    @CsvSource({"0,30", "2,30", "4,30", "64,30", "1,38", "33,46", "32,38", "128,37", "129,45", "161,53", "160,45"})
    void headsHaveNoContent(int flags, int length) throws Exception {
        score("a", 1, "k");
        ByteBuffer record = ByteBuffer.wrap(bytes(record(1, SEQ, 100))).put(0, (byte) flags);
        if (flags >= 128) {
            record.putShort(length - 7, (short) 5);
        }
        String all = new String(record.array(), ISO_8859_1);
        put("k", all);
        assertThat(new Read().of(Place.first("a")).get(0).heads).containsExactly(all.substring(0, length));
    }

    @Test
    void headThatIsCutOffIsGivenAsItIs() throws Exception {
        score("a", 1, "k");
        String cut = "\u0080" + record(1, SEQ, 1).substring(1);
        put("k", cut);
        assertThat(new Read().of(Place.first("a")).get(0).heads).containsExactly(cut.substring(0, 30));
        String whole = "\u0080" + record(1, SEQ, 2).substring(1);
        put("k", whole);
        assertThat(new Read().of(Place.first("a")).get(0).heads).containsExactly(whole);
    }

    @Test
    void directoryIsReadBetweenBounds() throws Exception {
        for (int i = 0; i < 5; i++) {
            score("i", i * 10, "n" + i);
        }
        assertThat(new Read().slices("10", "30", 9).reply().get(0))
                .isEqualTo(List.of("n1", "10", "n2", "20", "n3", "30"));
        assertThat(new Read().slices("10", "30", 2).reply().get(0)).isEqualTo(List.of("n1", "10", "n2", "20"));
        assertThat(new Read().reply().get(0)).isEqualTo(List.of());
    }

    // ---- what verification reads

    @Test
    void slicesAreCountedBesideTheirPartition() throws Exception {
        planted.send(planted.redis.hset(key("m"), bytes("live"), bytes("5")));
        score("i", 7, "n1");
        score("i", 8, "n2");
        score("i", 9, "n3");
        score("f", 1, "k");
        score("f", 2, "l");
        score("zn1", 1, "m");
        score("f", 3, "ending");
        score("f", 4, "large");
        score("f", 5, "claimed");
        put("ending", "\6" + record(DUE_MS, SEQ, 4066).substring(1));
        put("large", "\6" + record(DUE_MS, SEQ, 4067).substring(1));
        put("claimed", "\1" + record(DUE_MS, SEQ, 5).substring(1));
        assertThat(eval(Script.reading("slices"), List.of("m", "i", "f", "r", "zn1", "zn4"), List.of("n1", "n4")))
                .isEqualTo(List.of("5", 3L, 4L, "7", 1L, "", 0L));
    }

    /** A timer that is in no slice is not looked for in any. */
    @Test
    void placesOfATimerAreToldAtOneMoment() throws Exception {
        planted.send(planted.redis.hset(key("m"), bytes("seq"), bytes("77")));
        put("k", record(DUE_MS, SEQ, 5));
        score("f", 1, "k");
        score("x", 2, "k");
        score("e", 3, "k");
        score("zn1", 4, "member");
        List<String> keys = List.of("m", "r", "f", "x", "e", "zn0", "zn1");
        assertThat(eval(Script.reading("places"), keys, List.of("k", "member", "2", "other", "k", "0")))
                .isEqualTo(List.of("77", record(DUE_MS, SEQ, 0), "1", "2", "3", "4", "", "", "", "", ""));
    }

    @Test
    void recordsComeWithoutContent() throws Exception {
        put("k", record(DUE_MS, SEQ, 5));
        assertThat(eval(Script.reading("scan"), List.of("r"), List.of("0")))
                .isEqualTo(List.of("0", "k", record(DUE_MS, SEQ, 0)));
    }
}
