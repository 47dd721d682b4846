package io.tickwheel.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class OptionsTest {

    @Test
    void aNameAloneIsAFlag() {
        Options options = new Options(List.of("--quick", "--rounds", "3", "--last"));
        assertThat(options.flag("quick")).isTrue();
        assertThat(options.flag("last")).isTrue();
        assertThat(options.flag("other")).isFalse();
        assertThat(options.number("rounds", 1)).isEqualTo(3);
        options.refuseUnused();
    }

    @Test
    void whatIsMissingOrTooMuchIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Options(List.of("--rounds")).number("rounds", 1))
                .withMessageContaining("rounds");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Options(List.of("--quick", "3")).flag("quick"))
                .withMessageContaining("alone");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Options(List.of("--odd", "1")).refuseUnused())
                .withMessageContaining("odd");
    }
}
