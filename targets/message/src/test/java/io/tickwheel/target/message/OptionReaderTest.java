package io.tickwheel.target.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tickwheel.engine.Clock;
import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.TargetOptions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class OptionReaderTest {

    @Test
    void absentOptionsHaveTheirDefaults() {
        OptionReader none = reader(Map.of());

        assertThat(none.text("user")).isNull();
        assertThat(none.text("user", "guest")).isEqualTo("guest");
        assertThat(none.integer("size", 7, 1, 9)).isEqualTo(7);
        assertThat(none.bool("tls", true)).isTrue();
    }

    @Test
    void endsOfARangeAreTaken() {
        assertThat(reader(Map.of("size", "1")).integer("size", 7, 1, 9)).isEqualTo(1);
        assertThat(reader(Map.of("size", "9")).integer("size", 7, 1, 9)).isEqualTo(9);
        assertThat(reader(Map.of("tls", "false")).bool("tls", true)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "10", "", "4.0", "seven", "99999999999"})
    void anythingElseIsRefusedWithTheNameOfTheOption(String text) {
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> reader(Map.of("size", text)).integer("size", 7, 1, 9))
                .withMessage("must be an integer, 1 to 9")
                .satisfies(refusal -> assertThat(refusal.field()).isEqualTo("size"));
        assertThatExceptionOfType(InvalidTargetException.class)
                .isThrownBy(() -> reader(Map.of("tls", text)).bool("tls", true))
                .withMessage("must be true or false");
    }

    private static OptionReader reader(Map<String, String> settings) {
        return new OptionReader(new TargetOptions(Clock.system(), 10, settings));
    }
}
