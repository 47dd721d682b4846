package io.tickwheel.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class JsonBytesTest {

    /** The ends of the ranges of a second byte, and those of the ones behind it. */
    private static final int[] SECOND = {0x20, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBA, 0xBB, 0xBC, 0xBF, 0xC0, 0xFF};

    private static final int[] LATER = {0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xFF};

    private static boolean isTaken(byte... bytes) {
        try {
            JsonBytes.check(bytes, 0, bytes.length);
            return true;
        } catch (ProblemException refused) {
            return false;
        }
    }

    private static boolean isUtf8(byte... bytes) {
        try {
            var unused = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /** A blank behind it, so that no sequence is cut off by the end. */
    @Test
    void bytesAreTakenThatTheJdkDecodes() {
        for (int first = 0x80; first <= 0xFF; first++) {
            for (int second : SECOND) {
                for (int third : LATER) {
                    for (int fourth : LATER) {
                        byte[] bytes = {(byte) first, (byte) second, (byte) third, (byte) fourth, ' '};
                        boolean isControl = third == 0 || fourth == 0;
                        boolean isMark = first == 0xEF && second == 0xBB && third == 0xBF;
                        boolean isToBeTaken = isUtf8(bytes) && !isControl && !isMark;
                        assertThat(isTaken(bytes))
                                .as("%x %x %x %x", first, second, third, fourth)
                                .isEqualTo(isToBeTaken);
                    }
                }
            }
        }
    }

    @Test
    void sequenceThatIsCutOffIsRefused() {
        byte[] euro = "\u20ac".getBytes(StandardCharsets.UTF_8);
        assertThat(isTaken(euro)).isTrue();
        for (int length = 1; length < euro.length; length++) {
            assertThat(isTaken(Arrays.copyOf(euro, length)))
                    .as("%s bytes", length)
                    .isFalse();
        }
    }

    @Test
    void controlCharactersButThreeAreRefused() {
        for (byte b = 0; b < 0x20; b++) {
            assertThat(isTaken(b)).as("byte %s", b).isEqualTo(b == '\n' || b == '\t' || b == '\r');
        }
    }

    @Test
    void refusalNamesByteAndPlaceFromTheBeginningOfTheBody() {
        assertThatThrownBy(() -> JsonBytes.check(new byte[] {'x', '{', (byte) 0xC1, '}'}, 1, 4))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("the body has the byte 0xc1 at 1, must be UTF-8");
        assertThatThrownBy(() -> JsonBytes.check(new byte[] {'x', '{', 0x1F, '}'}, 1, 4))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("the control character 0x1f at byte 1");
    }
}
