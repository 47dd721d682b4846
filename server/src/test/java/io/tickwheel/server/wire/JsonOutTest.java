package io.tickwheel.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts of strangers as JSON: what does things to a terminal is escaped, the rest is as it was. */
final class JsonOutTest {

    @ParameterizedTest
    @CsvSource({
        "0000, true",
        "001f, true",
        "0020, false",
        "007e, false",
        "007f, true",
        "0080, true",
        "0085, true",
        "009f, true",
        "00a0, false",
        "07ff, false",
        "0800, false",
        "ffff, false",
        "d800, true",
        "dc00, true"
    })
    void controlCharactersAndHalvesOfPairsAreEscaped(String hex, boolean isEscaped) {
        String text = "a" + (char) Integer.parseInt(hex, 16) + "b";
        assertThat(new JsonOut(1).string(text).toBuffer().toString(StandardCharsets.UTF_8))
                .isEqualTo('"' + (isEscaped ? "a\\u" + hex + "b" : text) + '"');
    }
}
