package io.tickwheel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PastAttemptTest {

    private static final HexFormat HEX = HexFormat.of();
    private static final String BYTES = "0102" + "0000000000000003" + "0000000004" + "00000005" + "01f7" + "6e6f";

    @Test
    void attemptWithoutAnExcerptIsOnePiece() {
        PastAttempt past = new PastAttempt(0x102, 3, 4, 5, 503, "no");
        assertThat(past.excerpt()).isEmpty();
        assertThat(HEX.formatHex(past.encode())).isEqualTo(BYTES);
        assertThat(HEX.formatHex(past.encodePieces())).isEqualTo("17" + BYTES);
        assertThat(HEX.formatHex(past.encodePieces((byte) 3, (byte) 7))).isEqualTo("0307" + "17" + BYTES);
        assertThat(PastAttempt.decode(past.encode())).isEqualTo(past);
        assertThat(PastAttempt.decodePieces(List.of(past.encode(), past.encode())))
                .containsExactly(past, past);
    }

    @Test
    void excerptIsAPieceBehindItsAttempt() {
        PastAttempt past = new PastAttempt(0x102, 3, 4, 5, 503, "no", "\0é");
        assertThat(HEX.formatHex(past.encode())).isEqualTo(BYTES);
        String excerpt = "0000" + "00c3a9";
        assertThat(HEX.formatHex(past.encodePieces((byte) 3))).isEqualTo("03" + "17" + BYTES + "03" + "05" + excerpt);
        byte[] piece = HEX.parseHex(excerpt);
        PastAttempt plain = PastAttempt.decode(past.encode());
        assertThat(PastAttempt.decodePieces(List.of(plain.encode(), past.encode(), piece, plain.encode())))
                .containsExactly(plain, past, plain);
    }

    @Test
    void pieceInAWrongPlaceIsRefused() {
        byte[] attempt = new PastAttempt(1, 2, 3, 4, 5, "").encode();
        byte[] excerpt = {0, 0, 'x'};
        assertRefused("an excerpt of an answer stands behind no attempt", excerpt, attempt);
        assertRefused("an attempt has two excerpts of its answer", attempt, excerpt, excerpt);
        assertRefused("an excerpt of an answer is empty", attempt, new byte[2]);
        assertRefused("bytes of the excerpt is 201, must be 0 to 200", attempt, new byte[203]);
        assertRefused("an attempt has 1 bytes, must have 21 to 221", attempt, new byte[1]);
        assertThatIllegalArgumentException()
                .as("to who knows of no excerpts")
                .isThrownBy(() -> PastAttempt.decode(new byte[21]))
                .withMessage("number is 0, must be 1 to 65535");
    }

    private static void assertRefused(String why, byte[]... pieces) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PastAttempt.decodePieces(List.of(pieces)))
                .withMessage(why);
    }

    @Test
    void textsHaveTheirRoom() {
        String longest = "é".repeat(100);
        PastAttempt past = new PastAttempt(1, 2, 3, 4, 5, longest, longest);
        assertThat(past.encodePieces()).hasSize(1 + 221 + 1 + 202);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PastAttempt(1, 2, 3, 4, 5, longest, longest + "x"))
                .withMessage("bytes of the excerpt is 201, must be 0 to 200");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PastAttempt(1, 2, 3, 4, 5, longest + "x", longest))
                .withMessage("bytes of the reason is 201, must be 0 to 200");
    }

    /** Of the characters that have most bytes: the length of each piece stands in one byte. */
    @Test
    void textsOfLongCharactersHaveTheirRoomToo() {
        String longest = "€".repeat(66);
        assertThat(new PastAttempt(1, 2, 3, 4, 5, longest, longest).reason()).isEqualTo(longest);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PastAttempt(1, 2, 3, 4, 5, longest + "€", ""))
                .withMessage("bytes of the reason is 201, must be 0 to 200");
    }

    @Test
    void largestNumbersAreReadAsTheyWereWritten() {
        PastAttempt past =
                new PastAttempt(0xffff, -1, PastAttempt.MOST_LATE_MS, PastAttempt.MOST_DURATION_MS, 0xffff, "away");
        assertThat(PastAttempt.decode(past.encode())).isEqualTo(past);
    }
}
