package io.tickwheel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.store.TimerQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerRequestTest {

    @Test
    void delayIsCountedFromNowAndRoundedUp() {
        Instant now = Instant.parse("1970-01-01T00:00:01.000400Z");
        assertThat(TimerRequest.after("q", "k", Duration.ZERO).dueAtMs(now)).isEqualTo(1_001);
        assertThat(TimerRequest.after("q", "k", Duration.ofMillis(5)).dueAtMs(now))
                .isEqualTo(1_006);
        assertThat(TimerRequest.after("q", "k", Duration.ofNanos(4_600_000)).dueAtMs(now))
                .isEqualTo(1_005);
    }

    @Test
    void dueTimeIsRoundedUpToo() {
        Instant now = Instant.parse("2030-01-01T00:00:00Z");
        assertThat(TimerRequest.at("q", "k", Instant.ofEpochMilli(7)).dueAtMs(now))
                .isEqualTo(7);
        assertThat(TimerRequest.at("q", "k", Instant.ofEpochSecond(0, 7_000_001))
                        .dueAtMs(now))
                .isEqualTo(8);
        assertThat(TimerRequest.at("q", "k", Instant.ofEpochSecond(-1, 1)).dueAtMs(now))
                .isEqualTo(-999);
    }

    @Test
    void timesBeyondTheYear9999AreRefused() {
        Instant now = Instant.parse("2030-01-01T00:00:00Z");
        assertThatThrownBy(() -> TimerRequest.after("q", "k", Duration.ofDays(9_000L * 366))
                        .dueAtMs(now))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("9999");
        assertThatThrownBy(() -> TimerRequest.after("q", "k", Duration.ofSeconds(Long.MAX_VALUE))
                        .dueAtMs(now))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TimerRequest.at("q", "k", Instant.MAX).dueAtMs(now))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TimerRequest.at("q", "k", Instant.MIN).dueAtMs(now))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void negativeDelayIsRefused() {
        assertThatThrownBy(() -> TimerRequest.after("q", "k", Duration.ofNanos(-1)))
                .hasMessageContaining("delay is PT-0.000000001S");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b", "ü", "a\n"})
    void queueNamesAreOfPlainCharacters(String queue) {
        assertThatThrownBy(() -> TimerRequest.after(queue, "k", Duration.ZERO)).hasMessageContaining("queue has");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", ".."})
    void queuesThatPathsLoseTakeNoTimers(String queue) {
        String rule = "queue is a dot segment, which paths lose, must not be . or ..";
        assertThatThrownBy(() -> TimerRequest.after(queue, "k", Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(rule);
        assertThatThrownBy(() -> TimerRequest.at(queue, "k", Instant.EPOCH))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(rule);
    }

    @ParameterizedTest
    @ValueSource(strings = {"...", ".a", "a.", "a..b", "-"})
    void otherDotsMayBeInQueueNames(String queue) {
        assertThat(TimerRequest.after(queue, "k", Duration.ZERO).key().queue()).isEqualTo(queue);
    }

    @Test
    void keysAreAnyUnicodeWithoutControlCharactersUpTo512Bytes() {
        String umlauts = "ü".repeat(256);
        assertThat(TimerRequest.after("q", umlauts, Duration.ZERO).key().key()).isEqualTo(umlauts);
        assertThatThrownBy(() -> TimerRequest.after("q", umlauts + "a", Duration.ZERO))
                .hasMessageContaining("513 bytes");
        assertThatThrownBy(() -> TimerRequest.after("q", "a\u0000", Duration.ZERO))
                .hasMessageContaining("U+0000");
        assertThatThrownBy(() -> TimerRequest.after("q", "a\u0085", Duration.ZERO))
                .hasMessageContaining("U+0085");
        assertThatThrownBy(() -> TimerRequest.after("q", "a\ud800", Duration.ZERO))
                .hasMessageContaining("surrogate");
        assertThatThrownBy(() -> TimerRequest.after("q", "", Duration.ZERO)).hasMessageContaining("empty");
    }

    /** UTF-8 has no bytes for half of a surrogate pair: what would be delivered is not what was given. */
    @ParameterizedTest
    @ValueSource(strings = {"\ud83d", "a\ude00", "\ude00\ud83d", "\ud83d\ud83d\ude00", "\ud83d\ude00\ud83d"})
    void textThatIsNoUnicodeIsRefused(String text) {
        TimerRequest request = TimerRequest.after("q", "k", Duration.ZERO);
        List<ThrowingCallable> calls = List.of(
                () -> request.withText(text),
                () -> request.withPayload(text, PayloadCodec.TEXT),
                () -> request.withPayload(new byte[0], text),
                () -> request.withHeaders(Map.of("name", text)),
                () -> request.withHeaders(Map.of(text, "value")),
                () -> new Destination(text, ""),
                () -> new Destination("http", text),
                () -> TimerRequest.after(text, "k", Duration.ZERO),
                () -> TimerRequest.after("q", text, Duration.ZERO),
                () -> BulkRequest.redrive(TimerQuery.of("q")).withReason(text));
        for (ThrowingCallable each : calls) {
            assertThatThrownBy(each)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageMatching(
                            ".*(has half of a surrogate pair( at \\d)?, must be valid Unicode|has the character U\\+D83D.*|has the character U\\+DE00.*)");
        }
        assertThat(request.withText("\ud83d\ude00").withHeaders(Map.of("name", "\ud83d\ude00")))
                .isNotNull();
    }

    @Test
    void expireAfterHasBounds() {
        TimerRequest request = TimerRequest.after("q", "k", Duration.ZERO);
        Duration longest = Duration.between(TimerRequest.FIRST_DUE, TimerRequest.LAST_DUE);
        for (Duration taken : List.of(Duration.ofMillis(1), longest)) {
            assertThat(request.withExpireAfter(taken).content().expireAfter()).isEqualTo(taken);
        }
        for (Duration refused :
                List.of(Duration.ofNanos(999_999), longest.plusNanos(1), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> request.withExpireAfter(refused))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "expireAfter is " + refused + ", must be 1 ms to " + longest + ", in whole milliseconds");
        }
    }

    /** The delay is rounded up as the due time is: a touch is not early. */
    @Test
    void delayIsRememberedWhereThatIsAskedFor() {
        Instant now = Instant.parse("1970-01-01T00:00:01.000400Z");
        TimerRequest request = TimerRequest.after("q", "k", Duration.ofNanos(4_600_000));
        assertThat(request.content(now, request.dueAtMs(now)).pushBack()).isNull();
        assertThat(request.withTouchable().content(now, request.dueAtMs(now)).pushBack())
                .isEqualTo(new PushBack(Duration.ofMillis(5), Instant.ofEpochSecond(1), null));
        TimerRequest past = TimerRequest.at("q", "k", Instant.EPOCH).withTouchable();
        assertThat(past.content(now, past.dueAtMs(now)).pushBack())
                .isEqualTo(new PushBack(Duration.ZERO, Instant.ofEpochSecond(1), null));
    }
}
