package io.tickwheel.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which streams are terminals, as the script that starts the JVM says it. */
final class SurroundingsTest {

    @ParameterizedTest
    @CsvSource({"'', false, false", "out, true, false", "err, false, true", "outerr, true, true"})
    void terminalsAreWhatTheScriptSays(String terminals, boolean output, boolean errors) {
        System.setProperty("tickwheel.terminals", terminals);
        try {
            Surroundings around = Surroundings.ofProcess(() -> 7);
            assertThat(around.showsOutput()).isEqualTo(output);
            assertThat(around.showsErrors()).isEqualTo(errors);
        } finally {
            System.clearProperty("tickwheel.terminals");
        }
    }
}
