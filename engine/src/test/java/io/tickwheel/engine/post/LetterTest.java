package io.tickwheel.engine.post;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Letters as bytes. */
final class LetterTest {

    private static byte[] write(Letter letter) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        letter.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static Letter read(byte[] bytes) throws IOException {
        return Letter.read(new DataInputStream(new ByteArrayInputStream(bytes)));
    }

    static Stream<Letter> letters() {
        return Stream.of(
                new Letter.Ask("q"),
                new Letter.Stop("ö"),
                new Letter.Have("q", 0, false),
                new Letter.Have("q", 7, true),
                new Letter.Take(Long.MAX_VALUE, "q", 1_000, Duration.ofHours(1), Duration.ofSeconds(1), false),
                new Letter.Take(1, "q", 1, Duration.ofHours(1), Duration.ofMillis(9_999), true),
                new Letter.Got(1),
                new Letter.Back(List.of()),
                new Letter.Back(List.of("a", "b")),
                new Letter.End(1, "a", Letter.Wish.ACKNOWLEDGE, null, ""),
                new Letter.End(2, "a", Letter.Wish.NACK, Duration.ZERO, "away"),
                new Letter.End(3, "a", Letter.Wish.NACK, Duration.ofDays(30), ""),
                new Letter.Ended(4, Letter.Fate.DONE, Instant.ofEpochMilli(-1), ""),
                new Letter.Ended(5, Letter.Fate.GONE, Instant.ofEpochMilli(7), "it has gone"),
                new Letter.Give(6, List.of()));
    }

    /** A delay of nothing is another wish than none: that is what the retry policy says. */
    @ParameterizedTest
    @MethodSource("letters")
    void letterIsReadAsItWasWritten(Letter letter) throws IOException {
        assertThat(read(write(letter))).isEqualTo(letter);
    }

    @Test
    void letterThatIsCutOffIsNone() throws IOException {
        byte[] bytes = write(new Letter.Ask("queue"));
        assertThatThrownBy(() -> read(Arrays.copyOf(bytes, bytes.length - 1)))
                .isInstanceOf(IOException.class)
                .hasMessage("a letter has a text of 5 bytes, and 4 are left");
        assertThatThrownBy(() -> read(new byte[] {10}))
                .isInstanceOf(IOException.class)
                .hasMessage("a letter has the kind 10, must be 1 to 9");
    }
}
