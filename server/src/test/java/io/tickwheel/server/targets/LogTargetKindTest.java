package io.tickwheel.server.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tickwheel.engine.InvalidTargetException;
import io.tickwheel.engine.TargetFields;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LogTargetKindTest {

    private final LogTargetKind kind = new LogTargetKind();

    @Test
    void logHasNothingToSay() {
        assertThat(kind.fields()).containsExactly("log");
        assertThat(kind.read(TargetFields.of(Map.of("log", Map.of())))).isEmpty();
        assertThat(kind.write("")).isEqualTo(Map.of("log", Map.of()));
        assertThat(kind.readSetting("")).isEmpty();
        assertThat(kind.settingForm()).isEqualTo("log");
    }

    @Test
    void whatIsSaidToItIsRefused() {
        assertThatThrownBy(() -> kind.read(TargetFields.of(Map.of("log", Map.of("level", "warn")))))
                .isInstanceOf(InvalidTargetException.class)
                .hasMessageContaining("is not known");
        assertThatThrownBy(() -> kind.read(TargetFields.of(Map.of("log", true))))
                .isInstanceOf(InvalidTargetException.class);
        assertThatThrownBy(() -> kind.readSetting("warn"))
                .isInstanceOf(InvalidTargetException.class)
                .hasMessage("must have nothing after log");
    }
}
