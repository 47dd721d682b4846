package io.tickwheel.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One text for each sequence of bytes, as RFC 4648 has it, and everything else refused with the rule that it breaks. */
class Base64TextTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "Zg padded",
                "Zm8 padded",
                "Zg= padded",
                "Zm9vY padded",
                "Zm9v= padded",
                "Zm9v==== padded",
                "Zg==Zg== padded",
                "==== padded",
                "Z=== padded",
                "=Zm9 padded",
                "Z-== alphabet",
                "Zm_v alphabet",
                "Zm9v\\nZm9v alphabet",
                "Zm9v\\r\\nZm9v alphabet",
                "Zm9v\\tZg== alphabet",
                "Zm9\u00e9 alphabet",
                "Zm9\u0100 alphabet",
                "Zh== bits",
                "Zm9= bits",
                "Zv== bits"
            })
    void whatIsNoneIsRefusedWithItsRule(String text, String rule) {
        String given = text.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t");
        assertThatThrownBy(() -> Base64Text.decode(given))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(rule)
                .hasMessageContaining("RFC 4648");
    }

    @Test
    void blankIsOfNoAlphabet() {
        assertThatThrownBy(() -> Base64Text.decode("Zm9v Zm9v")).hasMessageContaining("alphabet");
        assertThatThrownBy(() -> Base64Text.decode("Zm9v ")).hasMessageContaining("alphabet");
    }

    @Test
    void whatIsWrittenIsRead() {
        SplittableRandom random = new SplittableRandom(1);
        for (int length = 0; length < 300; length++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            String text = ContentJson.base64(bytes);
            assertThat(Base64Text.decode(text)).isEqualTo(bytes);
        }
    }

    /** All texts of four characters that end as one byte or two do: as many as there are such bytes. */
    @Test
    void eachSequenceOfBytesHasOneText() {
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        int taken = 0;
        for (int i = 0; i < 64 * 64; i++) {
            String text = "" + alphabet.charAt(i / 64) + alphabet.charAt(i % 64) + "==";
            try {
                assertThat(Base64.getEncoder().encodeToString(Base64Text.decode(text)))
                        .isEqualTo(text);
                taken++;
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("bits");
            }
        }
        assertThat(taken).isEqualTo(256);
    }
}
