package io.tickwheel.store.redis.query;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.tickwheel.store.redis.link.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code count.lua} counts in a piece, to the last member that it looks at. */
final class CountScriptTest extends QueryScripts {

    private static final Script COUNT = Script.reading("count");

    /** What is counted: up to where, behind which of those in flight the rest is, and the counts by bucket. */
    private record Counted(long toMs, String score, String field, Map<Long, Long> counts) {

        static Counted of(List<?> reply) {
            Map<Long, Long> counts = new TreeMap<>();
            for (int at = 3; at < reply.size(); at += 2) {
                counts.put((Long) reply.get(at), (Long) reply.get(at + 1));
            }
            return new Counted(
                    Long.parseLong((String) reply.get(0)), (String) reply.get(1), (String) reply.get(2), counts);
        }

        long sum() {
            return counts.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    private final class Count {

        private String prefix = "";
        private long fromMs;
        private long toMs = NEAR_MS;
        private long firstMs;
        private long bucketMs = NEAR_MS;
        private int looks = MANY;

        Count prefix(String value) {
            prefix = value;
            return this;
        }

        Count range(long from, long to) {
            fromMs = from;
            toMs = to;
            return this;
        }

        Count buckets(long first, long length) {
            firstMs = first;
            bucketMs = length;
            return this;
        }

        Count looks(int value) {
            looks = value;
            return this;
        }

        List<?> reply(String... slices) throws Exception {
            List<String> keys = new ArrayList<>(List.of("r", "i", "f"));
            for (String slice : slices) {
                keys.add("z" + slice);
            }
            String begin = new String(key("z"), ISO_8859_1);
            return eval(
                    COUNT,
                    keys,
                    List.of(prefix, text(fromMs), text(toMs), text(firstMs), text(bucketMs), text(looks), begin));
        }

        Counted of(String... slices) throws Exception {
            return Counted.of(reply(slices));
        }
    }

    /** A slice that nobody declared might have some of them; those that end before, or begin behind, do not. */
    @Test
    void slicesInTheRangeMustBeDeclared() throws Exception {
        score("i", 0, "n0");
        score("i", NEAR_MS, "n1");
        score("i", 2 * NEAR_MS, "n2");
        score("i", -FAR_MS, "f-1");
        score("i", 0, "f0");
        assertThat(new Count().range(NEAR_MS, 2 * NEAR_MS).reply("n1", "f0")).isNotEmpty();
        assertThat(new Count().range(NEAR_MS, 2 * NEAR_MS).reply("n1")).isEmpty();
        assertThat(new Count().range(NEAR_MS, 2 * NEAR_MS).reply("f0")).isEmpty();
        assertThat(new Count().range(NEAR_MS - 1, 2 * NEAR_MS).reply("n1", "f0"))
                .isEmpty();
        assertThat(new Count().range(NEAR_MS, 2 * NEAR_MS + 1).reply("n1", "f0"))
                .isEmpty();
        assertThat(new Count().range(0, 1).reply("n0", "f0")).isNotEmpty();
        assertThat(new Count().range(-1, 1).reply("n0", "f0")).isEmpty();
        assertThat(new Count().range(-1, 1).reply("n0", "f0", "f-1")).isNotEmpty();
    }

    /** Slices of fewer than 16 are counted one by one, others by jumps. */
    @ParameterizedTest
    @ValueSource(ints = {1, 14, 15, 16, 17, 200})
    void countsAreExactWhateverIsInTheSlice(int timers) throws Exception {
        Random random = new Random(timers);
        Map<Long, Long> expected = new TreeMap<>();
        for (int i = 0; i < timers; i++) {
            long dueAtMs = List.of(99L, 100L, 199L, 200L, 249L, 250L, 999L, 1_000L, (long) random.nextInt(2_000))
                    .get(random.nextInt(9));
            score("zn0", (double) dueAtMs, "k" + i);
            if (dueAtMs >= 100 && dueAtMs < 1_000) {
                expected.merge((dueAtMs - 50) / 50, 1L, Long::sum);
            }
        }
        score("i", 0, "n0");
        Counted counted = new Count().range(100, 1_000).buckets(50, 50).of("n0");
        assertThat(counted).isEqualTo(new Counted(1_000, "", "", expected));
    }

    @Test
    void whatIsDueAtTheEndOfTheRangeIsNoBucket() throws Exception {
        for (int i = 0; i < 20; i++) {
            score("zn0", 100 + i, "k" + i);
            score("zn0", 1_000, "l" + i);
        }
        assertThat(new Count().range(100, 1_000).buckets(100, 50).of("n0"))
                .isEqualTo(new Counted(1_000, "", "", Map.of(0L, 20L)));
    }

    /** Above 53 bits scores are rounded, and the next bucket may seem to begin where this one does. */
    @Test
    void endOfTimeIsCountedToo() throws Exception {
        long from = Long.MAX_VALUE - 1_000_000;
        for (int i = 0; i < 20; i++) {
            score("zn9", (double) (Long.MAX_VALUE - 500_000), "k" + i);
        }
        Counted counted =
                new Count().range(from, Long.MAX_VALUE).buckets(from, 1).of("n9");
        assertThat(counted.sum()).isEqualTo(20);
        assertThat(counted.toMs).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void queueIsCountedUpToWhereItCostsNoMoreThanAllowed() throws Exception {
        for (int i = 0; i < 64; i++) {
            score("zn0", i * 100, (i % 4 == 0 ? "\0q\0" : "\0o\0") + i);
            score("zf0", i * 100 + 50, (i % 4 == 0 ? "\4\0\0\0\7q\0" : "\0o\0") + i);
        }
        // Not one to be looked at in a slice.
        score("f", 10, "o\0flight");
        Count all = new Count().prefix("q\0").range(0, 6_400).buckets(0, 1_600);
        assertThat(all.looks(128).of("n0", "f0")).isEqualTo(new Counted(6_400, "", "", quarters(4)));
        assertThat(all.looks(127).of("n0", "f0")).isEqualTo(new Counted(3_200, "", "", quarters(2)));
        assertThat(all.looks(64).of("n0", "f0")).isEqualTo(new Counted(3_200, "", "", quarters(2)));
        assertThat(all.looks(63).of("n0", "f0")).isEqualTo(new Counted(1_600, "", "", quarters(1)));
        assertThat(new Count()
                        .prefix("q\0")
                        .range(1_600, 6_400)
                        .buckets(0, 1_600)
                        .looks(63)
                        .of("n0", "f0")
                        .toMs)
                .isEqualTo(4_000);
    }

    private static Map<Long, Long> quarters(int count) {
        Map<Long, Long> quarters = new TreeMap<>();
        for (long at = 0; at < count; at++) {
            quarters.put(at, 8L);
        }
        return quarters;
    }

    @Test
    void millisecondIsCountedInOneGo() throws Exception {
        for (int i = 0; i < 100; i++) {
            score("zn0", 10 + i / 50, "q\0" + i);
        }
        Counted counted =
                new Count().prefix("q\0").range(10, 12).buckets(10, 1).looks(10).of("n0");
        assertThat(counted).isEqualTo(new Counted(11, "", "", Map.of(0L, 50L)));
    }

    @Test
    void whatIsInFlightIsCountedByItsRecord() throws Exception {
        List<Long> dues = List.of(99L, 100L, 149L, 150L, 199L, 200L);
        for (int i = 0; i < dues.size(); i++) {
            for (String queue : List.of("q\0", "o\0")) {
                score("f", 7, queue + i);
                put(queue + i, record(dues.get(i), SEQ, 0));
            }
        }
        score("f", 7, "q\0ending");
        put("q\0ending", "\6" + record(150, SEQ, 0).substring(1));
        score("f", 7, "q\0gone");
        score("f", 7, "q\0short");
        put("q\0short", record(150, SEQ, 0).substring(0, 29));
        Count of = new Count().range(100, 200).buckets(100, 50);
        assertThat(of.of().counts).isEqualTo(Map.of(0L, 4L, 1L, 4L));
        assertThat(of.prefix("q\0").of().counts).isEqualTo(Map.of(0L, 2L, 1L, 2L));
    }

    /** Pieces of 64, until 1,000 are looked at. */
    @Test
    void manyInFlightAreLeftToTheNextCall() throws Exception {
        for (int i = 0; i < 1_100; i++) {
            score("f", i, "q\0" + i);
            put("q\0" + i, record(10, SEQ, 0));
        }
        Counted counted = new Count().of();
        assertThat(counted).isEqualTo(new Counted(NEAR_MS, "1023", "q\0" + 1_023, Map.of(0L, 1_024L)));
        for (int i = 1_000; i < 1_100; i++) {
            planted.send(planted.redis.zrem(key("f"), bytes("q\0" + i)));
        }
        assertThat(new Count().of()).isEqualTo(new Counted(NEAR_MS, "", "", Map.of(0L, 1_000L)));
        score("f", 5_000, "q\0" + 1_050);
        for (int i = 0; i < 41; i++) {
            planted.send(planted.redis.zrem(key("f"), bytes("q\0" + i)));
        }
        assertThat(new Count().of().sum()).as("15 times 64").isEqualTo(960);
        assertThat(new Count().of().score).isEmpty();
    }

    @Test
    void contentsInFlightEndTheCount() throws Exception {
        for (int i = 0; i < 130; i++) {
            score("f", i, "q\0" + i);
            put("q\0" + i, record(10, SEQ, i == 0 ? MOST_BYTES - 64 * 30 : 0));
        }
        assertThat(new Count().of().sum()).isEqualTo(128);
        assertThat(new Count().of().score).isEqualTo("127");
        put("q\0" + 0, record(10, SEQ, MOST_BYTES - 64 * 30 + 1));
        assertThat(new Count().of()).isEqualTo(new Counted(NEAR_MS, "63", "q\0" + 63, Map.of(0L, 64L)));
        put("q\0" + 0, record(10, SEQ, MOST_BYTES - 128 * 30));
        assertThat(new Count().of()).isEqualTo(new Counted(NEAR_MS, "", "", Map.of(0L, 130L)));
    }
}
