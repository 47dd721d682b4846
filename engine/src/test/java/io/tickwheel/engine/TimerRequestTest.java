package io.tickwheel.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerRequestTest {

    private static Clock at(String instant) {
        return new Clock() {
            @Override
            public Instant now() {
                return Instant.parse(instant);
            }

            @Override
            public long monoNanos() {
                return 0;
            }
        };
    }

    @Test
    void delayIsCountedFromNowAndRoundedUp() {
        Clock clock = at("1970-01-01T00:00:01.000400Z");
        assertThat(TimerRequest.after("q", "k", Duration.ZERO).dueAtMs(clock)).isEqualTo(1_001);
        assertThat(TimerRequest.after("q", "k", Duration.ofMillis(5)).dueAtMs(clock))
                .isEqualTo(1_006);
        assertThat(TimerRequest.after("q", "k", Duration.ofNanos(4_600_000)).dueAtMs(clock))
                .isEqualTo(1_005);
    }

    @Test
    void dueTimeIsRoundedUpToo() {
        Clock clock = at("2030-01-01T00:00:00Z");
        assertThat(TimerRequest.at("q", "k", Instant.ofEpochMilli(7)).dueAtMs(clock))
                .isEqualTo(7);
        assertThat(TimerRequest.at("q", "k", Instant.ofEpochSecond(0, 7_000_001))
                        .dueAtMs(clock))
                .isEqualTo(8);
        assertThat(TimerRequest.at("q", "k", Instant.ofEpochSecond(-1, 1)).dueAtMs(clock))
                .isEqualTo(-999);
    }

    @Test
    void timesBeyondTheYear9999AreRefused() {
        Clock clock = at("2030-01-01T00:00:00Z");
        assertThatThrownBy(() -> TimerRequest.after("q", "k", Duration.ofDays(9_000L * 366))
                        .dueAtMs(clock))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("9999");
        assertThatThrownBy(() -> TimerRequest.after("q", "k", Duration.ofSeconds(Long.MAX_VALUE))
                        .dueAtMs(clock))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TimerRequest.at("q", "k", Instant.MAX).dueAtMs(clock))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TimerRequest.at("q", "k", Instant.MIN).dueAtMs(clock))
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
                    .hasMessage("expireAfter is " + refused + ", must be 1 ms to " + longest);
        }
    }
}
