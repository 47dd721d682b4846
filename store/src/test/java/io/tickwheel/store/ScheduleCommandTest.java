package io.tickwheel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ranges that every calendar takes: their ends are taken, what lies beyond is refused with the value and the rule. */
final class ScheduleCommandTest {

    private static final TimerKey KEY = new TimerKey("q", "k");

    @ParameterizedTest
    @ValueSource(longs = {-ScheduleCommand.FARTHEST_DUE_MS, -1, 0, 1, ScheduleCommand.FARTHEST_DUE_MS})
    void dueTimesOfTheRangeAreTaken(long dueAtMs) {
        assertThat(due(dueAtMs).dueAtMs()).isEqualTo(dueAtMs);
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                Long.MIN_VALUE,
                -ScheduleCommand.FARTHEST_DUE_MS - 1,
                ScheduleCommand.FARTHEST_DUE_MS + 1,
                Long.MAX_VALUE
            })
    void dueTimesBeyondTheRangeAreRefused(long dueAtMs) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> due(dueAtMs))
                .withMessage("due time is %d ms, must be from -1125899906842624 to 1125899906842624", dueAtMs);
    }

    @Test
    void namesOfTheGreatestLengthAreTaken() {
        assertThat(named("q", "").key().key()).isEmpty();
        assertThat(named("\u0005", "k").key().queue()).isEqualTo("\u0005");
        assertThat(named("q", "\0").key().key()).isEqualTo("\0");
        assertThat(named("q", "k".repeat(65_533)).key().key()).hasSize(65_533);
        assertThat(named("\u20ac", "\ud83d\ude00".repeat(16_382) + "abc").key().key())
                .hasSize(32_767);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | k | queue is empty, must have a character",
                "'\u0004q' | k | queue begins with U+0004, must begin with U+0005 or above",
                "\ud800 | k | queue has half of a surrogate pair, must be valid Unicode",
                "q | a\udc00 | key has half of a surrogate pair, must be valid Unicode",
            })
    void namesThatNoCalendarCanTellApartAreRefused(String queue, String key, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> named(queue, key)).withMessage(message);
    }

    @Test
    void namesThatAreTooLongAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> named("q", "k".repeat(65_534)))
                .withMessage("queue and key have 65535 bytes in UTF-8, must have at most 65534");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> named("\u20ac", "\ud83d\ude00".repeat(16_382) + "abcd"))
                .withMessage("queue and key have 65535 bytes in UTF-8, must have at most 65534");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> named("q\0", "k"))
                .withMessage("queue has U+0000 at 1, must have none");
    }

    @Test
    void contentHasABound() {
        assertThat(filled(0).content()).isEmpty();
        assertThat(filled(ScheduleCommand.MAX_CONTENT_BYTES).content()).hasSize(32 << 20);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> filled(ScheduleCommand.MAX_CONTENT_BYTES + 1))
                .withMessage("content has 33554433 bytes, must have at most 33554432");
    }

    @Test
    void commandThatExpectsAnIdKeepsTheRest() {
        byte[] content = {1};
        ScheduleCommand any = new ScheduleCommand(KEY, 5, content, 7, OnConflict.KEEP, 9, Durability.replicated(1));
        assertThat(any.withExpectedId("1a"))
                .isEqualTo(new ScheduleCommand(KEY, 5, content, 7, OnConflict.KEEP, 9, "1a", Durability.replicated(1)));
    }

    private static ScheduleCommand due(long dueAtMs) {
        return new ScheduleCommand(KEY, dueAtMs, new byte[0], OnConflict.REPLACE, 0);
    }

    private static ScheduleCommand named(String queue, String key) {
        return new ScheduleCommand(new TimerKey(queue, key), 0, new byte[0], OnConflict.REPLACE, 0);
    }

    private static ScheduleCommand filled(int bytes) {
        return new ScheduleCommand(KEY, 0, new byte[bytes], OnConflict.REPLACE, 0);
    }
}
