package io.tickwheel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.recurrence.Misfire;
import io.tickwheel.recurrence.Recurrence;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimerContentTest {

    private static TimerContent copy(TimerContent content) {
        return TimerContent.decode(content.encode());
    }

    @Test
    void emptyContentComesBackEmpty() {
        TimerContent copy = copy(TimerContent.EMPTY);
        assertThat(copy.payload()).isEmpty();
        assertThat(copy).usingRecursiveComparison().isEqualTo(TimerContent.EMPTY);
    }

    @Test
    void everythingComesBackAsItWas() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("X-Zeta", "last ☃");
        headers.put("X-Alpha", "");
        TimerContent content = TimerContent.EMPTY
                .withPayload("{\"a\":1}".getBytes(StandardCharsets.UTF_8), "application/json")
                .withHeaders(headers)
                .withDestination(new Destination("http", "POST http://shop/close"))
                .withRetry(RetryPolicy.exponential(3, Duration.ofMillis(1_500)))
                .withExpireAfter(Duration.ofHours(6));
        TimerContent copy = copy(content);
        assertThat(copy).usingRecursiveComparison().isEqualTo(content);
        assertThat(copy.headers().keySet()).containsExactly("X-Zeta", "X-Alpha");
    }

    @Test
    void expireAfterIsKeptAsItIsOrRefused() {
        assertThatThrownBy(() -> TimerContent.EMPTY.withExpireAfter(Duration.ofNanos(1_500_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("expireAfter is PT0.0015S")
                .hasMessageEndingWith("in whole milliseconds");
    }

    @Test
    void eachPartComesBackAlone() {
        assertThat(copy(TimerContent.EMPTY.withPayload(new byte[] {0, -1}, null))
                        .payload())
                .containsExactly(0, -1);
        assertThat(copy(TimerContent.EMPTY.withExpireAfter(Duration.ofMillis(1)))
                        .expireAfter())
                .isEqualTo(Duration.ofMillis(1));
        assertThat(copy(TimerContent.EMPTY.withRetry(RetryPolicy.DEFAULT)).retry())
                .isEqualTo(RetryPolicy.DEFAULT);
    }

    /** Older versions, which know no other policy, can read what they could. */
    @Test
    void contentHasTheOldVersionWhereThatSaysIt() {
        assertThat(TimerContent.EMPTY
                        .withRetry(RetryPolicy.exponential(2, Duration.ofHours(9)))
                        .encode())
                .startsWith(1, 4)
                .hasSize(14);
        assertThat(TimerContent.EMPTY
                        .withRetry(RetryPolicy.fixed(2, Duration.ofHours(9)))
                        .encode())
                .startsWith(2, 32);
    }

    @Test
    void everyPolicyComesBackAsItWas() {
        RetryPolicy exponential = RetryPolicy.exponential(7, Duration.ofMillis(3));
        for (RetryPolicy policy : List.of(
                exponential,
                exponential.withJitter(0.25),
                exponential.withMaxBackoff(Duration.ofDays(30)),
                RetryPolicy.fixed(1_000, Duration.ofMillis(1)),
                RetryPolicy.listed(Collections.nCopies(100, Duration.ofDays(1)).toArray(Duration[]::new)),
                RetryPolicy.listed(Duration.ofMillis(2), Duration.ofMillis(1)).withMaxAttempts(9),
                new RetryPolicy(3, List.of(Duration.ofMillis(5)), 1.5, Duration.ofSeconds(1), 1))) {
            assertThat(copy(TimerContent.EMPTY
                            .withPayload(new byte[] {1, 2}, null)
                            .withRetry(policy)))
                    .satisfies(copy -> assertThat(copy.retry()).isEqualTo(policy))
                    .satisfies(copy -> assertThat(copy.payload()).containsExactly(1, 2));
        }
    }

    @Test
    void whatIsNeededToPushBackComesBackAsItWas() {
        TimerContent content = TimerContent.EMPTY
                .withPayload(new byte[] {1, 2}, "a/b")
                .withRetry(RetryPolicy.fixed(2, Duration.ofHours(9)));
        Duration longest = Duration.ofDays(3_650_000);
        Instant first = Instant.parse("1960-01-01T00:00:00.001Z");
        for (PushBack pushBack : List.of(
                new PushBack(Duration.ZERO, Instant.EPOCH, null),
                new PushBack(Duration.ofMillis(1), first, Duration.ofMillis(1)),
                new PushBack(longest, first, longest))) {
            assertThat(copy(content.withPushBack(pushBack)))
                    .usingRecursiveComparison()
                    .isEqualTo(content.withPushBack(pushBack));
        }
        byte[] alone = TimerContent.EMPTY
                .withPushBack(new PushBack(Duration.ofMillis(5), Instant.ofEpochMilli(6), Duration.ofMillis(7)))
                .encode();
        assertThat(alone)
                .containsExactly(3, 64, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 7);
        alone[25] = 0;
        assertThat(TimerContent.decode(alone).pushBack())
                .isEqualTo(new PushBack(Duration.ofMillis(5), Instant.ofEpochMilli(6), null));
        alone[2] = -1;
        assertThatThrownBy(() -> TimerContent.decode(alone)).isInstanceOf(IllegalArgumentException.class);
    }

    /** What was written before is read, and written as it was. */
    @Test
    void contentThatIsNotToBePushedBackIsAsItWas() {
        byte[] old = {1, 8, 0, 0, 0, 0, 0, 0, 0, 9, 42};
        assertThat(TimerContent.decode(old).pushBack()).isNull();
        assertThat(TimerContent.decode(old).encode()).containsExactly(old);
    }

    @Test
    void plansComeBackAsTheyWere() {
        Recurrence recurrence = Recurrence.cron("0 0 9 * * MON-FRI", ZoneId.of("Europe/Berlin"))
                .withCount(10)
                .withMisfire(Misfire.SKIP);
        for (Plan plan : List.of(
                Plan.of(recurrence),
                new Plan(recurrence, 2, 1, -1, true, false),
                new Plan(recurrence, 0, Long.MAX_VALUE, Long.MIN_VALUE, false, true),
                new Plan(recurrence, Long.MAX_VALUE, 7, 5, true, true))) {
            TimerContent alone = TimerContent.EMPTY.withPlan(plan);
            assertThat(copy(alone)).usingRecursiveComparison().isEqualTo(alone);
            TimerContent all = alone.withPayload(new byte[] {1, 2}, "text/plain")
                    .withHeaders(Map.of("X-A", "1"))
                    .withDestination(new Destination("http", "POST http://shop/close"))
                    .withRetry(RetryPolicy.fixed(2, Duration.ofHours(9)))
                    .withExpireAfter(Duration.ofHours(6));
            assertThat(copy(all)).usingRecursiveComparison().isEqualTo(all);
            assertThat(copy(all).plan()).isEqualTo(plan);
        }
    }

    /** Older versions refuse it: they would deliver it once and be done. */
    @Test
    void aPlanHasBytesAndAVersionOfItsOwn() {
        Plan plan = new Plan(Recurrence.fixedRate(Duration.ofMinutes(5)), 515, 258, 1, true, true);
        byte[] bytes = TimerContent.EMPTY.withPlan(plan).encode();
        byte[] expected = ByteBuffer.allocate(41)
                .put((byte) 3)
                .put((byte) 128)
                .putInt(10)
                .put("every PT5M".getBytes(StandardCharsets.UTF_8))
                .putLong(515)
                .putLong(258)
                .putLong(1)
                .put((byte) 3)
                .array();
        assertThat(bytes).isEqualTo(expected);
    }

    @Test
    void whatIsNoPlanIsRefused() {
        byte[] bytes = TimerContent.EMPTY
                .withPlan(Plan.of(Recurrence.fixedRate(Duration.ofMinutes(5))))
                .encode();
        assertThatThrownBy(() -> TimerContent.decode(changed(bytes, 40, 4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("flags of a plan are 4, must be 0 to 3");
        assertThatThrownBy(() -> TimerContent.decode(changed(bytes, 16, -1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("before is -");
        assertThatThrownBy(() -> TimerContent.decode(changed(bytes, 24, -1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("started is -");
        assertThatThrownBy(() -> TimerContent.decode(changed(bytes, 6, 'E')))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("recurrence is 'Every PT5M'");
        assertThatThrownBy(() -> TimerContent.decode(Arrays.copyOf(bytes, 40)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no timer content in 40 bytes");
    }

    private static byte[] changed(byte[] bytes, int at, int value) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) value;
        return changed;
    }

    /** The due time of a request is the first nominal time of its plan, also when the plan says it. */
    @Test
    void requestsKnowTheirFirstNominalTime() {
        Recurrence hourly = Recurrence.cron("@hourly", ZoneId.of("UTC"));
        Instant now = Instant.parse("2026-11-20T15:04:05Z");
        TimerRequest recurring = TimerRequest.recurring("q", "k", hourly);
        long dueAtMs = recurring.dueAtMs(now);
        assertThat(Instant.ofEpochMilli(dueAtMs)).isEqualTo("2026-11-20T16:00:00Z");
        assertThat(recurring.content(now, dueAtMs).plan()).isEqualTo(new Plan(hourly, 0, 0, dueAtMs, false, false));
        TimerRequest later =
                TimerRequest.at("q", "k", Instant.parse("2027-01-01T00:30:00Z")).withSchedule(hourly);
        assertThat(Instant.ofEpochMilli(later.dueAtMs(now))).isEqualTo("2027-01-01T00:30:00Z");
        assertThatThrownBy(() -> TimerRequest.recurring("q", "k", hourly.withUntil(Instant.EPOCH))
                        .dueAtMs(now))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "schedule is 'cron @hourly; zone UTC; until 1970-01-01T00:00:00Z', must have a time after now,"
                                + " which is 2026-11-20T15:04:05Z");
    }

    /** A first run that is asked for is held to the bounds of its schedule; a plan that has come from another store is due when it was due there. */
    @Test
    void firstRunIsWithinTheBoundsOfTheSchedule() {
        Instant now = Instant.parse("2026-11-20T15:04:05Z");
        Instant from = Instant.parse("2027-01-01T00:00:00Z");
        Instant until = Instant.parse("2028-01-01T00:00:00Z");
        Recurrence bounded =
                Recurrence.fixedRate(Duration.ofHours(1)).withFrom(from).withUntil(until);
        for (Instant outside : List.of(from.minusMillis(1), until)) {
            TimerRequest request = TimerRequest.at("q", "k", outside).withSchedule(bounded);
            assertThatThrownBy(() -> request.content(now, request.dueAtMs(now)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("due time is " + outside + ", must be from " + from + " on and before " + until
                            + ", as the schedule says");
            TimerRequest goesOn = TimerRequest.at("q", "k", outside)
                    .withPlan(new Plan(bounded, 0, 1, from.toEpochMilli(), false, false));
            assertThat(goesOn.content(now, goesOn.dueAtMs(now)).plan()).isNotNull();
        }
        for (Instant inside : List.of(from, until.minusMillis(1))) {
            TimerRequest request = TimerRequest.at("q", "k", inside).withSchedule(bounded);
            long dueAtMs = request.dueAtMs(now);
            assertThat(request.content(now, dueAtMs).plan()).isEqualTo(new Plan(bounded, 0, 0, dueAtMs, false, false));
        }
        TimerRequest early = TimerRequest.after("q", "k", Duration.ZERO)
                .withSchedule(Recurrence.fixedRate(Duration.ofHours(1)).withFrom(from));
        assertThatThrownBy(() -> early.content(now, early.dueAtMs(now)))
                .hasMessage("due time is " + now + ", must be from " + from + " on, as the schedule says");
        TimerRequest late = TimerRequest.at("q", "k", until)
                .withSchedule(Recurrence.fixedRate(Duration.ofHours(1)).withUntil(until));
        assertThatThrownBy(() -> late.content(now, late.dueAtMs(now)))
                .hasMessage("due time is " + until + ", must be before " + until + ", as the schedule says");
    }

    /** What is damaged is refused with the reason, or says something that can be kept. */
    @Test
    void damagedContentIsRefusedOrSaysWhatCanBeKept() {
        Recurrence recurrence = Recurrence.cron("0 0 9 * * MON-FRI", ZoneId.of("Europe/Berlin"))
                .withFrom(Instant.parse("2026-01-01T00:00:00Z"))
                .withUntil(Instant.parse("2027-01-01T00:00:00Z"))
                .withCount(10)
                .withMisfire(Misfire.SKIP);
        TimerContent plain = TimerContent.EMPTY
                .withPayload(new byte[] {1, 2}, "text/plain")
                .withHeaders(Map.of("X-A", "é", "X-B", "2"))
                .withDestination(new Destination("http", "POST http://shop/close"))
                .withRetry(RetryPolicy.exponential(3, Duration.ofSeconds(1)))
                .withExpireAfter(Duration.ofHours(6));
        for (TimerContent content : List.of(
                plain,
                plain.withRetry(RetryPolicy.listed(Duration.ofMillis(1), Duration.ofMillis(2)))
                        .withPushBack(new PushBack(Duration.ofMillis(5), Instant.EPOCH, Duration.ofMillis(7))),
                TimerContent.EMPTY.withPlan(new Plan(recurrence, 1, 2, 3, false, false)),
                TimerContent.EMPTY.withPlan(Plan.of(Recurrence.fixedDelay(Duration.ofMinutes(5)))))) {
            byte[] bytes = content.encode();
            for (int length = 0; length < bytes.length; length++) {
                refusedOrKept(Arrays.copyOf(bytes, length));
            }
            for (int at = 0; at < bytes.length; at++) {
                for (int value = 0; value < 256; value++) {
                    refusedOrKept(changed(bytes, at, value));
                }
                for (int count : List.of(-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 24)) {
                    byte[] huge = Arrays.copyOf(bytes, Math.max(bytes.length, at + Integer.BYTES));
                    ByteBuffer.wrap(huge).putInt(at, count);
                    refusedOrKept(huge);
                }
            }
        }
    }

    private static void refusedOrKept(byte[] damaged) {
        TimerContent read;
        try {
            read = TimerContent.decode(damaged);
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).as("%s", Arrays.toString(damaged)).isNotBlank();
            return;
        } catch (RuntimeException e) {
            throw new AssertionError(Arrays.toString(damaged), e);
        }
        assertThat(copy(read).encode()).isEqualTo(read.encode());
    }

    @Test
    void whatIsDamagedIsNamed() {
        byte[] policy = TimerContent.EMPTY
                .withRetry(RetryPolicy.fixed(2, Duration.ofHours(9)))
                .encode();
        assertThatThrownBy(() -> TimerContent.decode(changed(policy, 30, -56)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no timer content in 39 bytes");
        assertThatThrownBy(() -> TimerContent.decode(changed(Arrays.copyOf(policy, 31 + 200 * Long.BYTES), 30, -56)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("200 delays");
        byte[] expiring =
                TimerContent.EMPTY.withExpireAfter(Duration.ofMillis(1)).encode();
        assertThatThrownBy(() -> TimerContent.decode(changed(expiring, 9, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("expireAfter is PT0S");
        Map<String, String> two = new LinkedHashMap<>();
        two.put("X-A", "1");
        two.put("X-B", "2");
        byte[] headers = TimerContent.EMPTY.withHeaders(two).encode();
        assertThatThrownBy(() -> TimerContent.decode(changed(headers, 22, 'A')))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("header 'X-A' is there twice");
        assertThatThrownBy(() -> TimerContent.decode(changed(headers, 2, 4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there are 1026 headers, must be at most 1000");
        assertThatThrownBy(() -> TimerContent.decode(changed(headers, 10, -1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("a text of 3 bytes is no UTF-8");
    }

    /** The character that stands for what cannot be read may be written, too. */
    @Test
    void textWithAReplacementCharacterComesBack() {
        TimerContent content = TimerContent.EMPTY.withHeaders(Map.of("X-A", "\uFFFD"));
        assertThat(copy(content).headers()).isEqualTo(content.headers());
    }

    @Test
    void contentOfANewerVersionIsRefused() {
        byte[] bytes = TimerContent.EMPTY.encode();
        bytes[0] = 9;
        assertThatThrownBy(() -> TimerContent.decode(bytes)).hasMessageContaining("version 9");
    }
}
