package io.tickwheel.engine.rule;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which keys are those of runs. */
final class RunKeysTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 9, 10, 1_000_000_000_000_000_000L, Long.MAX_VALUE - 1, Long.MAX_VALUE})
    void runHasTheNumberThatItWasMadeWith(long number) {
        String key = RunKeys.of("backup", number);
        assertThat(RunKeys.isRun(key)).isTrue();
        assertThat(RunKeys.number(key)).hasValue(number);
        assertThat(RunKeys.planOf(key)).isEqualTo("backup");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "backup",
                "backup\u001f",
                "backup\u001f0",
                "backup\u001f01",
                "backup\u001f-1",
                "backup\u001f1a",
                "backup\u001f\u0661",
                "backup\u001f9223372036854775808",
                "backup\u001f9999999999999999999",
                "backup\u001f10000000000000000000",
                "backup\u001fnow-",
                "backup\u001fnow-x",
                "backup\u001fnow-9223372036854775808"
            })
    void otherKeyIsThatOfNoRun(String key) {
        assertThat(RunKeys.isRun(key)).isFalse();
        assertThat(RunKeys.number(key)).isEmpty();
    }

    @Test
    void runBesideThePlanHasNoNumber() {
        String key = "backup\u001fnow-1924905600000";
        assertThat(RunKeys.isRun(key)).isTrue();
        assertThat(RunKeys.number(key)).isEmpty();
        assertThat(RunKeys.planOf(key)).isEqualTo("backup");
    }
}
