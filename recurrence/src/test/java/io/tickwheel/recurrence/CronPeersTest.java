package io.tickwheel.recurrence;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@link Cron} beside Spring and cron-utils: each expression of a list in each zone of another one, from 2010 to 2020, years in which zones were changed
 * a lot. What differs must be in {@code differences.txt}, with the reason and an example, and each example must differ in the way that is written
 * there. The short form looks around the changes of clocks in some of the zones, and at drawn times; {@code -Dpeers.extent=all} takes all zones, and
 * follows each expression from the first day on.
 */
@Tag("simulated")
final class CronPeersTest {

    private static final boolean ALL =
            System.getProperty("tickwheel.peers", "near").equals("all");
    private static final long FROM_MS = Instant.parse("2010-01-01T00:00:00Z").toEpochMilli();
    private static final long TO_MS = Instant.parse("2020-01-01T00:00:00Z").toEpochMilli();
    private static final long HOUR_MS = 3_600_000;

    /** How far before a change it begins to look. */
    private static final long[] AHEAD_MS = {90 * 60_000, 25 * HOUR_MS};

    private static final int DRAWN = 2;

    /** How an answer of a peer differs. */
    private enum Kind {
        /** The time in a gap, which is taken at its end, is left out. */
        GAP,
        /** A time that comes twice is taken twice. */
        REPEAT,
        /** Of a time that comes twice the first one is passed over. */
        SECOND,
        /** A time that matches is passed over. */
        OMITS,
        /** A time is taken that does not match. */
        INVENTS,
        /** The next time is not after the time that was asked about: who asks again gets nowhere. */
        STANDS,
        /** It throws, when it reads the expression or later. */
        THROWS
    }

    private final Map<String, Set<String>> found = new TreeMap<>();
    private final Map<String, String> examples = new TreeMap<>();
    private long compared;

    @ParameterizedTest
    @EnumSource
    void differencesAreThoseOfTheList(Peer peer) throws IOException {
        List<String> zones = lines("zones.txt");
        assertThat(zones).hasSize(40);
        List<String> expressions = lines("expressions.txt");
        assertThat(expressions).hasSize(200).doesNotHaveDuplicates();
        long startNanos = System.nanoTime();
        for (int i = 0; i < expressions.size(); i++) {
            int oneIn = ALL ? 1 : peer == Peer.SPRING ? 5 : 40;
            for (int j = i % oneIn; j < zones.size(); j += oneIn) {
                compare(peer, expressions.get(i), ZoneId.of(zones.get(j)));
            }
        }
        System.out.printf(
                "%s: %,d times compared in %,d ms%n", peer, compared, (System.nanoTime() - startNanos) / 1_000_000);
        examples.forEach((what, example) -> System.out.println(what + " | " + example));
        Map<String, Set<String>> listed = listed(peer);
        found.forEach((title, of) ->
                assertThat(listed.getOrDefault(title, Set.of())).as(title).containsAll(of));
    }

    @ParameterizedTest
    @EnumSource
    void examplesOfTheListDiffer(Peer peer) throws IOException {
        String title = "";
        for (String line : lines("differences.txt")) {
            if (line.startsWith("[")) {
                title = titleOf(line);
            } else if (title.startsWith(title(peer, ""))) {
                String[] parts = line.split(" \\| ", -1);
                Cron cron = Cron.parse(parts[0], ZoneId.of(parts[1]));
                long afterMs = Instant.parse(parts[2]).toEpochMilli();
                long theirsMs = Peer.after(peer.parse(Peer.sixFields(parts[0])), afterMs, cron.zone());
                assertThat(title(peer, kind(cron, afterMs, cron.after(afterMs), theirsMs)))
                        .as(line)
                        .isEqualTo(title);
            }
        }
    }

    private void compare(Peer peer, String expression, ZoneId zone) {
        UnaryOperator<@Nullable ZonedDateTime> times = peer.parse(Peer.sixFields(expression));
        Cron cron = Cron.parse(expression, zone);
        int steps = ALL || peer == Peer.SPRING ? 4 : 2;
        if (ALL) {
            follow(peer, times, cron, FROM_MS, peer == Peer.SPRING ? 4_000 : 200);
        }
        for (long changeMs : changes(zone.getRules())) {
            for (long aheadMs : AHEAD_MS) {
                follow(peer, times, cron, changeMs - aheadMs, steps);
            }
        }
        SplittableRandom random = new SplittableRandom(expression.hashCode() * 31L + zone.hashCode());
        for (int i = 0; i < DRAWN; i++) {
            follow(peer, times, cron, random.nextLong(FROM_MS, TO_MS), steps);
        }
    }

    private void follow(Peer peer, UnaryOperator<@Nullable ZonedDateTime> times, Cron cron, long fromMs, int steps) {
        long afterMs = fromMs;
        for (int i = 0; i < steps && afterMs < TO_MS; i++) {
            long oursMs = cron.after(afterMs);
            long theirsMs = Peer.after(times, afterMs, cron.zone());
            compared++;
            if (oursMs != theirsMs) {
                String title = title(peer, kind(cron, afterMs, oursMs, theirsMs));
                found.computeIfAbsent(title, any -> new TreeSet<>()).add(cron.expression());
                examples.putIfAbsent(
                        title + " " + cron.expression(),
                        cron.zone() + " | " + Instant.ofEpochMilli(afterMs) + " | " + shown(oursMs, cron) + " "
                                + shown(theirsMs, cron));
            }
            afterMs = theirsMs > afterMs ? Math.min(oursMs, theirsMs) : oursMs;
        }
    }

    private static String shown(long ms, Cron cron) {
        return ms == Cron.NEVER || ms == Peer.THROWS
                ? "none"
                : Instant.ofEpochMilli(ms)
                        .atZone(cron.zone())
                        .toOffsetDateTime()
                        .toString();
    }

    private static Object kind(Cron cron, long afterMs, long oursMs, long theirsMs) {
        if (oursMs == theirsMs) {
            return "none";
        }
        if (theirsMs == Peer.THROWS) {
            return Kind.THROWS;
        }
        if (theirsMs <= afterMs) {
            return Kind.STANDS;
        }
        if (oursMs < theirsMs) {
            ZoneOffsetTransition change = changeBefore(cron, oursMs);
            if (change != null && change.isGap() && change.toEpochSecond() * 1_000 == oursMs) {
                return Kind.GAP;
            }
            return isSecond(cron, theirsMs) && localMs(cron, oursMs) == localMs(cron, theirsMs)
                    ? Kind.SECOND
                    : Kind.OMITS;
        }
        return isSecond(cron, theirsMs) ? Kind.REPEAT : Kind.INVENTS;
    }

    /** Whether its local time was there before. */
    private static boolean isSecond(Cron cron, long ms) {
        ZoneOffsetTransition change = ms == Cron.NEVER ? null : changeBefore(cron, ms);
        return change != null
                && change.isOverlap()
                && ms < (change.toEpochSecond() - change.getDuration().toSeconds()) * 1_000;
    }

    private static @Nullable ZoneOffsetTransition changeBefore(Cron cron, long ms) {
        return cron.zone().getRules().previousTransition(Instant.ofEpochMilli(ms + 1));
    }

    private static long localMs(Cron cron, long ms) {
        return ms + cron.zone().getRules().getOffset(Instant.ofEpochMilli(ms)).getTotalSeconds() * 1_000L;
    }

    private static String title(Peer peer, Object kind) {
        return (peer + " " + kind).toLowerCase(Locale.ROOT);
    }

    private static List<Long> changes(ZoneRules rules) {
        List<Long> changes = new ArrayList<>();
        ZoneOffsetTransition next = rules.nextTransition(Instant.ofEpochMilli(FROM_MS));
        while (next != null && next.toEpochSecond() * 1_000 < TO_MS) {
            changes.add(next.toEpochSecond() * 1_000);
            next = rules.nextTransition(next.getInstant());
        }
        return changes;
    }

    /** The list: a title in brackets with its reason, and below it the expressions, each with a zone and a time after which it differs. */
    private static Map<String, Set<String>> listed(Peer peer) throws IOException {
        Map<String, Set<String>> listed = new TreeMap<>();
        Set<String> expressions = new TreeSet<>();
        for (String line : lines("differences.txt")) {
            if (line.startsWith("[")) {
                assertThat(line).matches("\\[[a-z_]+ [a-z]+] .{20,}");
                expressions = new TreeSet<>();
                assertThat(listed.put(titleOf(line), expressions)).as(line).isNull();
            } else {
                assertThat(expressions.add(line.split(" \\| ", -1)[0])).as(line).isTrue();
            }
        }
        listed.keySet().removeIf(title -> !title.startsWith(title(peer, "")));
        return listed;
    }

    private static String titleOf(String line) {
        return line.substring(1, line.indexOf(']'));
    }

    private static List<String> lines(String name) throws IOException {
        try (InputStream file = CronPeersTest.class.getResourceAsStream(name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("# "))
                    .toList();
        }
    }
}
